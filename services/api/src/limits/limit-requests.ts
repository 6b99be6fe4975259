import rateLimit, { type RateLimitPluginOptions } from '@fastify/rate-limit'
import { countedAddress, type Logger } from '@payment-tracking/runtime'
import type { RedisConnections } from '@payment-tracking/redis'
import type { FastifyRequest } from 'fastify'
import type { ApiServer } from '../api-server.js'
import { ApiError } from '../http/api-errors.js'
import { openSharedCounts } from './shared-counts.js'

declare module 'fastify' {
  interface FastifyRequest {
    /** how many statements its reads took so far */
    statements: number
    /** Counts a statement, in the client's limit too. */
    countStatement(this: FastifyRequest): void
  }
}

const WINDOW_MS = 60_000
/** A request that takes more counts as several. Nearly all requests take less. */
export const STATEMENTS_OF_A_REQUEST = 20

export interface LimitOptions {
  max: number
  redis: RedisConnections | undefined
  log: Logger
  nowMs: () => number
}

/** @param after how long the client should wait, for people */
export const tooManyRequests = (after: string): ApiError =>
  new ApiError('RATE_LIMITED', `Too many requests. Please come back in ${after}.`, { retry: 'later' })

/**
 * Limits each client (an address, IPv6 by /64) to so many requests a minute over all processes, with the
 * standard `ratelimit` headers. What a request reads counts too. Must be called before routes are added.
 */
export async function limitRequests(app: ApiServer, { max, redis, log, nowMs }: LimitOptions): Promise<void> {
  const counts = openSharedCounts({ redis, log, windowMs: WINDOW_MS, nowMs })
  app.addHook('onClose', (_app, done) => {
    counts.close()
    done()
  })
  app.decorateRequest('statements', 0)
  app.decorateRequest('countStatement', function (this: FastifyRequest) {
    if (this.statements > 0 && this.statements % STATEMENTS_OF_A_REQUEST === 0)
      counts.add(countedAddress(this.ip), 1)
    this.statements += 1
  })
  await app.register(rateLimit, {
    max,
    timeWindow: WINDOW_MS,
    enableDraftSpec: true,
    keyGenerator: request => countedAddress(request.ip),
    // The plugin creates its store with `new`; a constructor that returns an object makes the plugin use that object.
    store: function store() {
      return counts
    } as unknown as NonNullable<RateLimitPluginOptions['store']>,
    errorResponseBuilder: (_request, { after }) => tooManyRequests(after),
  })
}
