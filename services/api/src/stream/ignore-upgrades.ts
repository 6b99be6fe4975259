// An upgrade request on a plain route is answered like a plain request. HTTP specifies this for `upgrade` (clients
// offer h2c on any request).
import type { IncomingMessage } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ApiServer } from '../api-server.js'

/** The key under which @fastify/websocket keeps the socket of an upgrade request. */
const socketKeyOf = (request: IncomingMessage): symbol | undefined =>
  Object.getOwnPropertySymbols(request).find(symbol => symbol.description === 'ws-socket')

/**
 * Turns an upgrade request into a plain request. Node has given the socket up for good, so the socket is closed after
 * the answer.
 */
export function ignoreUpgrade(request: FastifyRequest, reply: FastifyReply): void {
  const key = request.raw.headers.upgrade === undefined ? undefined : socketKeyOf(request.raw)
  if (key === undefined) return
  delete (request.raw as unknown as Record<symbol, unknown>)[key]
  void reply.header('connection', 'close')
  reply.raw.on('finish', () => request.raw.socket.end())
}

/** Ignores upgrades on every route but the socket's. Must be called before any hook that may refuse. */
export function ignoreUpgrades(app: ApiServer, socketPath: string): void {
  app.addHook('onRequest', (request, reply, done) => {
    if (request.routeOptions.url !== socketPath) ignoreUpgrade(request, reply)
    done()
  })
}
