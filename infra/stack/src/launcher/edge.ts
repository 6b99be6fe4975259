// One base URL on a machine without a load balancer. Sockets are joined byte by byte, so that a slow reader
// is felt by the service that sends to it and not buffered here.
import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { createProxyServer } from 'httpxy'

export interface EdgeOptions {
  host: string
  port: number
  /** Whether the caller's own x-forwarded-for is kept, because another proxy stands in front. */
  trustProxy: boolean
  /** Ports of the processes that are ready now. */
  apiPorts: () => readonly number[]
  realtimePorts: () => readonly number[]
}

export interface Edge {
  url: string
  close(): Promise<void>
}

const SOCKET_PATH = '/ws/v1'

/** @throws Error with code EADDRINUSE or EACCES when it cannot listen */
export async function openEdge(options: EdgeOptions): Promise<Edge> {
  const proxy = createProxyServer({})
  // A pipe ends its other side when a side ends, but not when it is cut: without this a service would go on
  // holding the connection of a client that is gone.
  proxy.on('proxyReqWs', (outgoing, _request, socket) => {
    outgoing.once('upgrade', (_response, upstream: Duplex) => {
      socket.once('close', () => upstream.destroy())
      upstream.once('close', () => socket.destroySoon())
    })
  })
  let turn = 0
  const choose = (request: IncomingMessage): string | undefined => {
    const path = (request.url ?? '/').split('?')[0]!
    const ports =
      path === SOCKET_PATH || path.startsWith(`${SOCKET_PATH}/`)
        ? options.realtimePorts()
        : options.apiPorts()
    const port = ports[turn++ % ports.length]
    return port === undefined ? undefined : `http://127.0.0.1:${port}`
  }
  const forward = (request: IncomingMessage): void => {
    // One address, never a list: nobody behind the edge has to decide which entry to believe.
    const { remoteAddress = '' } = request.socket
    const told = options.trustProxy
      ? String(request.headers['x-forwarded-for'] ?? '')
          .split(',')
          .at(-1)
          ?.trim()
      : ''
    request.headers['x-forwarded-for'] = told || remoteAddress
    if (!options.trustProxy) for (const name of FORWARDING_HEADERS) delete request.headers[name]
  }
  const server = createServer((request, response) => {
    const target = choose(request)
    if (!target) return unavailable(response)
    forward(request)
    void proxy.web(request, response, { target }).catch(() => unavailable(response))
  })
  const sockets = new Set<Duplex>()
  server.on('upgrade', (request, socket: Duplex, head) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    socket.on('error', () => socket.destroy())
    const target = choose(request)
    if (!target)
      return void socket.end(`HTTP/1.1 503 Service Unavailable\r\n${errorHead()}\r\n\r\n${errorBody()}`)
    forward(request)
    void proxy.ws(request, socket as never, { target }, head).catch(() => socket.destroy())
  })
  server.on('clientError', (_error, socket) => {
    if (socket.writable) socket.end('HTTP/1.1 400 Bad Request\r\nconnection: close\r\n\r\n')
  })
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
      }),
  }
}

/** What a caller could use to be taken for somebody else. */
const FORWARDING_HEADERS = [
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-forwarded-port',
  'x-real-ip',
  'forwarded',
]

const errorBody = (): string =>
  JSON.stringify({
    success: false,
    error: 'The service is not reachable right now; try again in a moment.',
    code: 'UNAVAILABLE',
    timestamp: Date.now(),
    requestId: randomUUID(),
  })
const errorHead = (): string => 'content-type: application/json\r\nretry-after: 1\r\nconnection: close'

function unavailable(response: ServerResponse): void {
  if (response.headersSent) return void response.destroy()
  response.writeHead(503, { 'content-type': 'application/json', 'retry-after': '1' })
  response.end(errorBody())
}
