// A request that asks for an upgrade where there is none is answered as if it had not asked, which is what
// HTTP says of `upgrade` (clients offer h2c on any request).
import type { IncomingMessage } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ApiServer } from '../api-server.js'

/** Where @fastify/websocket keeps the socket of a request that asks for an upgrade. */
const socketKeyOf = (request: IncomingMessage): symbol | undefined =>
  Object.getOwnPropertySymbols(request).find(symbol => symbol.description === 'ws-socket')

/** Makes an upgrade request a plain one. Node has handed its socket over for good: it is closed after the answer. */
export function ignoreUpgrade(request: FastifyRequest, reply: FastifyReply): void {
  const key = request.raw.headers.upgrade === undefined ? undefined : socketKeyOf(request.raw)
  if (key === undefined) return
  delete (request.raw as unknown as Record<symbol, unknown>)[key]
  void reply.header('connection', 'close')
  reply.raw.on('finish', () => request.raw.socket.end())
}

/** Does so for every route but the one that is a socket. Must be called before any hook that may refuse. */
export function ignoreUpgrades(app: ApiServer, socketPath: string): void {
  app.addHook('onRequest', (request, reply, done) => {
    if (request.routeOptions.url !== socketPath) ignoreUpgrade(request, reply)
    done()
  })
}
