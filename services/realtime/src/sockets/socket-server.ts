import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  SOCKET_PATH,
  type ClientToServerEvents,
  type ServerToClientEvents,
} from '@payment-tracking/contracts'
import { Server } from 'socket.io'
import type { RealtimeConfig } from '../config.js'

export type SocketServer = Server<ClientToServerEvents, ServerToClientEvents>

/** A client that opened a connection and then says nothing. */
const CONNECT_TIMEOUT_MS = 10_000

/** Websockets know no CORS; the browser's Origin is checked instead, when a list is set. */
function originAllowed(allowed: string, request: IncomingMessage): boolean {
  if (allowed === '*' || request.headers.origin === undefined) return true
  return allowed.split(',').some(origin => origin.trim() === request.headers.origin)
}

/**
 * The Socket.IO server, not listening yet. Websocket only on the server too: with polling a load balancer
 * would have to be sticky. State recovery is off: it would put sockets back into rooms past every check.
 */
export function buildSocketServer(
  config: RealtimeConfig,
  adapter: (namespace: unknown) => object,
  admitRequest: (request: IncomingMessage) => boolean,
) {
  const http = createServer((_, response) => {
    response.writeHead(404, { 'content-type': 'application/json' }).end('{"error":"not found"}')
  })
  const io: SocketServer = new Server(http, {
    path: SOCKET_PATH,
    transports: ['websocket'],
    serveClient: false,
    maxHttpBufferSize: config.MAX_MESSAGE_BYTES,
    perMessageDeflate: false,
    httpCompression: false,
    connectTimeout: CONNECT_TIMEOUT_MS,
    pingInterval: config.PING_INTERVAL_MS,
    pingTimeout: config.PING_TIMEOUT_MS,
    allowRequest: (request, decide) => {
      if (!originAllowed(config.CORS_ORIGIN, request)) return decide('ORIGIN_NOT_ALLOWED', false)
      if (!admitRequest(request)) return decide('TOO_MANY_CONNECTIONS', false)
      decide(null, true)
    },
    adapter: adapter as never,
  })
  return {
    io,
    http,
    /** @returns the port */
    listen: () =>
      new Promise<number>((resolve, reject) => {
        http.once('error', reject)
        http.listen(config.PORT, config.HOST, () => resolve((http.address() as AddressInfo).port))
      }),
    /** No new connections; those that are open stay. */
    stopListening: () => void http.close(),
  }
}
