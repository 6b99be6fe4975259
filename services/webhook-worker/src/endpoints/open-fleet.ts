// This worker among all workers of the deployment: its share of the caps of endpoints, and the answers of endpoints that
// all of them count.
import { BREAKER } from '@payment-tracking/domain'
import { exchangeAnswers, Fleet, openRedis } from '@payment-tracking/redis'
import type { Logger } from '@payment-tracking/runtime'
import type { WebhookWorkerConfig } from '../config.js'
import type { WorkerTunables } from '../tunables.js'
import type { EndpointFleet, EndpointLimiter } from './passes.js'

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

/** The lease outlasts a request by this factor, so that a share can be used between two beats that fail. */
const LEASE_PER_REQUEST = 1.5

export function openFleet(config: WebhookWorkerConfig, tunables: WorkerTunables, log: Logger): WorkerFleet {
  const longestUseMs = tunables.claimMarginMs + config.WEBHOOK_TIMEOUT_MS
  const leaseMs = Math.max(tunables.fleetLeaseMs, longestUseMs * LEASE_PER_REQUEST)
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
