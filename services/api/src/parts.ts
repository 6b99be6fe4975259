import { readTokens, type RetryRules } from '@payment-tracking/domain'
import type { DeliveryQueue } from '@payment-tracking/queue'
import type { RedisConnections } from '@payment-tracking/redis'
import type { Logger, Metrics, Tracing } from '@payment-tracking/runtime'
import { afterCommit, type Store } from '@payment-tracking/store/core'
import type { Reads } from '@payment-tracking/store/reads'
import type { RouteParts } from './route-parts.js'
import { readCheckoutKeys, type CheckoutKeys } from './checkout/checkout-keys.js'
import type { ApiConfig } from './config.js'
import { FeedWaits } from './feed/feed-waits.js'
import type { CheckWaiting } from './gateway-auth/gateway-auth.js'
import { buildSignIn, type SignInTools } from './gateway-auth/sign-in-tools.js'
import type { Suspend } from './limits/bound-requests.js'
import type { ApiTunables } from './tunables.js'
import type { SignalEndpoints } from './webhooks/webhook-routes.js'

export interface ApiParts {
  config: ApiConfig
  log: Logger
  store: Store
  /** what reads go to; by default to `store` */
  reads?: Reads
  /** without Redis, each process counts limits for itself */
  redis?: RedisConnections
  /** without the queue, the workers' sweepers find redeliveries */
  queue?: DeliveryQueue
  metrics: Metrics
  tracing?: Tracing | undefined
  /** by default API_TUNABLES */
  tunables?: ApiTunables
  /** the clock of the rate limits */
  nowMs?: () => number
}

/** What all folders' routes are made of: each takes what it needs. */
export interface Parts extends RouteParts, SignInTools {
  config: ApiConfig
  tunables: ApiTunables
  log: Logger
  metrics: Metrics
  reads: Reads
  redis: RedisConnections | undefined
  queue: DeliveryQueue | undefined
  checkoutKeys: CheckoutKeys | undefined
  retries: RetryRules
  waits: FeedWaits
  checkWaiting: CheckWaiting
  signalEndpoints: SignalEndpoints
  suspend: Suspend
}

/** @throws ConfigError when JWT_PRIVATE_KEYS cannot be used */
export async function makeParts(
  given: Pick<
    Parts,
    'config' | 'tunables' | 'log' | 'metrics' | 'store' | 'reads' | 'redis' | 'queue' | 'nowMs' | 'suspend'
  >,
): Promise<Parts> {
  const { config, tunables, log, store, redis } = given
  const signIn = await buildSignIn(given)
  const checkoutKeys =
    config.CHECKOUT_TOKEN_KEYS === undefined
      ? undefined
      : await readCheckoutKeys(config.CHECKOUT_TOKEN_KEYS, new Set(signIn.keys.verifying.keys()))
  const waits = new FeedWaits(
    store,
    {
      perGateway: tunables.feedWaitsPerGateway,
      perAddress: tunables.feedWaitsPerAddress,
      all: tunables.feedWaits,
      checkEveryMs: tunables.checkEveryMs,
    },
    log,
  )
  return {
    ...given,
    ...signIn,
    checkoutKeys,
    programId: config.PROGRAM_ID,
    tokens: readTokens(config.TOKENS),
    graceSeconds: config.OVERDUE_GRACE_SECONDS,
    retries: { backoffMs: config.WEBHOOK_BACKOFF_MS, backoffFactor: config.WEBHOOK_BACKOFF_FACTOR },
    waits,
    checkWaiting: gateway =>
      afterCommit(() => {
        waits.signal([gateway])
        void redis?.signalCommit({ position: null, gateways: [gateway] })
        return Promise.resolve()
      }),
    signalEndpoints: webhooks =>
      afterCommit(() => {
        void redis?.signalEndpoints(webhooks.map(({ id }) => id.toString()))
        return Promise.resolve()
      }),
  }
}
