import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import {
  SOCKET_PATH,
  type ClientToServerEvents,
  type ServerToClientEvents,
} from '@payment-tracking/contracts'
import {
  answerRawError,
  arrivalLimits,
  isAllowedOrigin,
  readAllowedOrigins,
  refuseOnSocket,
} from '@payment-tracking/runtime'
import { Server } from 'socket.io'
import type { RealtimeConfig } from '../config.js'
import type { RealtimeTunables } from '../tunables.js'
import {
  addSlash,
  FOREIGN_ORIGIN,
  refusePlainRequest,
  TOO_MANY_CONNECTIONS,
  upgradeRefusal,
} from './refuse-request.js'

export type SocketServer = Server<ClientToServerEvents, ServerToClientEvents>

type UpgradeListener = (request: IncomingMessage, socket: Duplex, head: Buffer) => void

/** How long a client may stay silent after it opened a connection. */
const CONNECT_TIMEOUT_MS = 10_000

/** Many times the longest message that the protocol has: every field of a subscription is short. */
const LONGEST_MESSAGE_BYTES = 16_384

/**
 * The Socket.IO server, not listening yet. The server also accepts only WebSocket: polling would need a sticky load
 * balancer. State recovery is off, because it would put sockets back into rooms without any check.
 */
export function buildSocketServer(
  config: RealtimeConfig,
  tunables: RealtimeTunables,
  adapter: (namespace: unknown) => object,
  admitRequest: (request: IncomingMessage) => boolean,
  /** @returns whether the request was for a stream, and is answered */
  serveStream: (request: IncomingMessage, response: ServerResponse) => boolean,
) {
  // CORS does not apply to WebSockets: the server itself checks the `Origin` of a browser.
  const allowedOrigins = readAllowedOrigins(config.CORS_ORIGIN)
  const http = createServer(arrivalLimits())
  http.on('clientError', answerRawError)
  const io: SocketServer = new Server(http, {
    path: SOCKET_PATH,
    transports: ['websocket'],
    serveClient: false,
    maxHttpBufferSize: LONGEST_MESSAGE_BYTES,
    perMessageDeflate: false,
    httpCompression: false,
    connectTimeout: CONNECT_TIMEOUT_MS,
    pingInterval: tunables.pingEveryMs,
    pingTimeout: tunables.pingTimeoutMs,
    adapter: adapter as never,
  })
  const [upgrade] = http.listeners('upgrade') as [UpgradeListener]
  http.removeAllListeners('upgrade').removeAllListeners('request')
  http.on('request', (request, response) => {
    if (!serveStream(request, response)) refusePlainRequest(request, response)
  })
  http.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const refusal =
      upgradeRefusal(request) ??
      (isAllowedOrigin(allowedOrigins, request.headers.origin) ? null : FOREIGN_ORIGIN) ??
      (admitRequest(request) ? null : TOO_MANY_CONNECTIONS)
    if (refusal) return refuseOnSocket(socket, refusal)
    addSlash(request)
    upgrade(request, socket, head)
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
    /** Refuses new connections; open connections stay. */
    stopListening: () => void http.close(),
  }
}
