// Reads whose work grows with what a gateway has stored. Such a read makes nobody wait: of one gateway one is answered at a time,
// and their statements, in turns of gateways, leave other reads a connection.
import { boundReads } from '@payment-tracking/store/core'
import { type Reading } from '@payment-tracking/store/reads'
import type { FastifyRequest, RouteHandlerMethod } from 'fastify'
import type { ApiServer } from '../api-server.js'
import { gatewayOf } from '../gateway-auth/gateway-auth.js'
import { KeptAnswers } from './kept-answers.js'
import { STATEMENTS_OF_A_REQUEST } from './limit-requests.js'
import { KeyedSemaphore } from './keyed-semaphore.js'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** of one gateway one such request is answered at a time, and an answer that took many statements is kept */
    costly?: boolean
  }
}

export interface CostlyReadLimits {
  /** statements of all gateways that run at once */
  statementsAtOnce: number
  /** how long an answer is kept */
  keepMs: number
  /** of all answers that are kept */
  keptBytes: number
  nowMs: () => number
}

interface Costly {
  text: string
  reading: Reading
}

/** Whether an answer that was read before knows what a request asks for. */
function knows({ reading }: Costly, { minPosition }: FastifyRequest): boolean {
  const head = reading.head()
  return head !== undefined && head.position >= minPosition
}

/** Bounds the reads of a scope's routes, which all need a gateway's token. Must be called before they are added. */
export function boundCostlyReads(scope: ApiServer, limits: CostlyReadLimits): void {
  const { statementsAtOnce, keepMs, keptBytes, nowMs } = limits
  const statements = new KeyedSemaphore({ ofKey: statementsAtOnce, ofAll: statementsAtOnce })
  const requests = new KeyedSemaphore({ ofKey: 1 })
  const kept = new KeptAnswers<Costly>({ keepMs, bytes: keptBytes })

  scope.addHook('preHandler', (request, _reply, done) => {
    if (request.reading === null) return done()
    const [gateway, signal] = [gatewayOf(request), request.abandoned]
    request.store = boundReads(request.store, {
      signal,
      around: read => statements.run(gateway, signal, read),
    })
    done()
  })
  scope.addHook('onRoute', route => {
    if (!route.config?.costly) return
    const handler = route.handler as RouteHandlerMethod
    route.handler = function (request, reply) {
      const gateway = gatewayOf(request)
      const key = `${gateway} ${request.url}`
      const answerText = (text: string) => {
        void reply.type('application/json; charset=utf-8')
        return text
      }
      return requests.run(gateway, request.abandoned, async () => {
        const found = kept.find(key, nowMs())
        if (found && knows(found.answer, request)) {
          request.reading = found.answer.reading
          void reply.header('age', Math.floor(found.ageMs / 1_000))
          return answerText(found.answer.text)
        }
        const answer: unknown = await handler.call(this, request, reply)
        // A stream goes on alone: its pages wait for slots.
        if (reply.sent || request.statements <= STATEMENTS_OF_A_REQUEST) return answer
        const text = reply.serialize(answer) as string
        kept.keep(key, { text, reading: request.reading! }, key.length + text.length, nowMs())
        return answerText(text)
      })
    }
  })
}
