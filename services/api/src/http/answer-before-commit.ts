import { inOneTransaction, type Store } from '@payment-tracking/store/core'
import type { RouteHandlerMethod } from 'fastify'
import type { ApiServer } from '../api-server.js'

const READING: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * Every handler of a writing route runs in one transaction, and its answer is written out before the commit. When the
 * answer fails, or nobody waits for it any more, nothing of the request stays. A handler returns its answer: it must not send it.
 */
export function answerBeforeCommit(scope: ApiServer, store: Store): void {
  scope.addHook('onRoute', route => {
    if ([route.method].flat().every(method => READING.has(method))) return
    const handler = route.handler as RouteHandlerMethod
    route.handler = async function (request, reply) {
      const answer = async () => {
        const data: unknown = await handler.call(this, request, reply)
        return data === null ? null : reply.serialize(data)
      }
      const text = await inOneTransaction(store, answer, request.abandoned)
      if (text !== null) void reply.type('application/json; charset=utf-8')
      return text
    }
  })
}
