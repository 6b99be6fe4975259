// This worker among all workers of the deployment: its share of the caps of endpoints, and the answers of endpoints that
// all of them count.
import { BREAKER } from '@payment-tracking/domain'
import { exchangeAnswers, Fleet, openRedis } from '@payment-tracking/redis'
import { ConfigError, type Logger } from '@payment-tracking/runtime'
import type { WebhookWorkerConfig } from '../config.js'
import type { EndpointFleet, EndpointLimiter } from './endpoint-limiter.js'

export interface WorkerFleet extends EndpointFleet {
  /** among how many workers the caps are divided; 0 while this one has no share */
  readonly members: number
  /** Takes part from now on, for this limiter. */
  start(limiter: EndpointLimiter): void
  /** Resolves when this worker has a share, or at `close`. */
  whenSharing(): Promise<void>
  /** Gives the share up, when no request is on its way any more. */
  close(): Promise<void>
}

/** The lease must outlast a request by this factor, so that a share can be used between two beats that fail. */
const LEASE_PER_REQUEST = 1.5

/** @throws ConfigError when the lease is too short for a request */
export function openFleet(config: WebhookWorkerConfig, log: Logger): WorkerFleet {
  const { WEBHOOK_CLAIM_MARGIN_MS: beginWithinMs, WEBHOOK_FLEET_LEASE_MS: leaseMs } = config
  const longestUseMs = beginWithinMs + config.WEBHOOK_TIMEOUT_MS
  if (leaseMs < longestUseMs * LEASE_PER_REQUEST)
    throw new ConfigError([
      `WEBHOOK_FLEET_LEASE_MS (${leaseMs}) must be at least ${LEASE_PER_REQUEST} times WEBHOOK_TIMEOUT_MS and WEBHOOK_CLAIM_MARGIN_MS together (${longestUseMs})`,
    ])
  const onError = (err: unknown) => log.debug({ err }, 'fleet.beat-failed')
  const redis = openRedis({ ...config, connectionName: 'webhook-worker', onError })
  let limiter: EndpointLimiter | undefined
  const fleet = new Fleet({
    redis,
    name: 'webhooks',
    leaseMs,
    longestUseMs,
    fits: () => limiter!.fits(),
    onBeat: async () => {
      const answers = limiter!.takeAnswers()
      // If this fails, these answers are counted by this worker alone.
      for (const [webhookId, counts] of await exchangeAnswers(redis, BREAKER.windowMs, answers))
        limiter!.judge(webhookId, counts)
    },
    onError,
  })
  return {
    beginWithinMs,
    shareOf: (cap, webhookId) => fleet.shareOf(cap, webhookId),
    rateShare: () => fleet.rateShare(),
    get members() {
      return fleet.members
    },
    whenSharing: () => fleet.whenSharing(),
    start: forLimiter => {
      limiter = forLimiter
      fleet.start()
    },
    close: async () => {
      if (limiter) await fleet.close()
      await redis.close()
    },
  }
}
