// One base URL on a machine without a load balancer. The edge pipes sockets byte by byte, so that a slow reader slows
// its service and the edge buffers nothing.
import { Agent, createServer, ServerResponse, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { Readable, type Duplex } from 'node:stream'
import { BASE_URL_PATHS } from '@payment-tracking/contracts'
import {
  answerRawError,
  arrivalLimits,
  clientAddress,
  refuseOnSocket,
  type TrustedProxies,
} from '@payment-tracking/runtime'
import { createProxyServer } from 'httpxy'
import { BODY_TOO_LARGE, BODY_WITH_UPGRADE, refuse, UNAVAILABLE } from './edge-answers.js'
import { readBody } from './read-body.js'

type ServedService = 'api' | keyof typeof BASE_URL_PATHS
const PATHS = Object.entries(BASE_URL_PATHS).flatMap(([service, paths]) =>
  paths.map(path => [service as ServedService, path] as const),
)

export interface EdgeOptions {
  host: string
  port: number
  /** The proxies in front, whose x-forwarded-for counts: as in a service by itself. */
  trustedProxies: TrustedProxies
  /** Ports of the processes of a service that are ready now. */
  portsOf: (service: ServedService) => readonly number[]
}

export interface Edge {
  url: string
  close(): Promise<void>
}

/** The API has the same limit. */
const BODY_LIMIT_BYTES = 64 * 1024
const REQUEST_TIMEOUT_MS = 30_000
/** Connections to a process that stay open for the next request. */
const KEPT_SOCKETS = 64

/** @throws Error with code EADDRINUSE or EACCES when it cannot listen */
export async function openEdge(options: EdgeOptions): Promise<Edge> {
  // Without a limit of sockets: each service limits what a client may hold open. With one, everybody waits behind those who
  // hold sockets for long: streams, and requests that wait for a feed.
  const agent = new Agent({ keepAlive: true, maxFreeSockets: KEPT_SOCKETS })
  const proxy = createProxyServer({})
  proxy.on('proxyReqWs', (outgoing, _request, socket) => {
    // A pipe ends its other side when a side ends, but not when a side is cut: without this, a service would hold the
    // connection of a client that is gone.
    outgoing.once('upgrade', (_response, upstream: Duplex) => {
      socket.once('close', () => upstream.destroy())
      upstream.once('close', () => socket.destroySoon())
    })
    // The process has just died. The proxy would end the connection without an answer.
    outgoing.once('error', () => {
      if (socket.bytesWritten === 0) refuseOnSocket(socket, UNAVAILABLE)
    })
  })
  let next = 0
  const choose = (request: IncomingMessage): string | undefined => {
    const path = (request.url ?? '/').split('?')[0]!
    const found = PATHS.find(([, base]) => path === base || path.startsWith(`${base}/`))
    const ports = options.portsOf(found?.[0] ?? 'api')
    const port = ports[next++ % ports.length]
    return port === undefined ? undefined : `http://127.0.0.1:${port}`
  }
  const forward = (request: IncomingMessage): void => {
    // One address, never a list: no service behind the edge has to choose an entry.
    const { remoteAddress = '' } = request.socket
    const { trustedProxies } = options
    const isBehindProxy = trustedProxies !== false && trustedProxies(remoteAddress, 0)
    request.headers['x-forwarded-for'] = clientAddress(
      remoteAddress,
      request.headers['x-forwarded-for'],
      trustedProxies,
    )
    if (!isBehindProxy) for (const name of FORWARDING_HEADERS) delete request.headers[name]
  }
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    // Read here: a service that refuses a body closes its connection, and the error of writing the rest would hide the
    // refusal.
    const body = await readBody(request, BODY_LIMIT_BYTES)
    if (body === 'too-large') return refuse(response, BODY_TOO_LARGE)
    const target = choose(request)
    if (!target) return refuse(response, UNAVAILABLE)
    forward(request)
    if (body === 'none') return proxy.web(request, response, { target, agent })
    delete request.headers['transfer-encoding']
    request.headers['content-length'] = String(body.length)
    await proxy.web(request, response, { target, agent, buffer: Readable.from([body]) })
  }
  const server = createServer(
    { ...arrivalLimits(REQUEST_TIMEOUT_MS), requireHostHeader: false },
    (request, response) => void serve(request, response).catch(() => refuse(response, UNAVAILABLE)),
  )
  // An unknown expectation is no reason to refuse; Node alone would answer 417 without a body.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response))
  const sockets = new Set<Duplex>()
  server.on('upgrade', (request, socket: Socket, head) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    socket.on('error', () => socket.destroy())
    if (!isWebSocket(request)) return serveWithoutUpgrade(server, request, socket)
    const target = choose(request)
    if (!target) return refuseOnSocket(socket, UNAVAILABLE)
    forward(request)
    void proxy.ws(request, socket, { target }, head).catch(() => socket.destroySoon())
  })
  server.on('clientError', answerRawError)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(options.port, options.host, resolve)
  })
  const { port } = server.address() as AddressInfo
  const host = options.host.includes(':') ? `[${options.host}]` : options.host
  return {
    url: `http://${host}:${port}`,
    close: () =>
      new Promise<void>(resolve => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
        server.closeAllConnections()
        agent.destroy()
      }),
  }
}

/** Headers with which a caller could pretend to be another client. */
const FORWARDING_HEADERS = [
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-forwarded-port',
  'x-real-ip',
  'forwarded',
]

const isWebSocket = ({ method, headers }: IncomingMessage): boolean =>
  method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket'

/**
 * Answers a request for another upgrade, such as h2c, as a plain request: HTTP specifies this for upgrades that a
 * server does not know. Node has given up the socket and reads no body from it.
 */
function serveWithoutUpgrade(server: Server, request: IncomingMessage, socket: Socket): void {
  const { headers } = request
  if (headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0)
    return refuseOnSocket(socket, BODY_WITH_UPGRADE)
  for (const name of ['upgrade', 'connection', 'http2-settings']) delete headers[name]
  const response = new ServerResponse(request)
  response.shouldKeepAlive = false
  response.assignSocket(socket)
  response.once('finish', () => socket.end())
  server.emit('request', request, response)
}
