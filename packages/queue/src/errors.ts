import { ServiceError } from '@payment-tracking/runtime'

/** Redis cannot be reached, or does not answer in time: the same call may succeed later. */
export class QueueUnavailableError extends ServiceError {
  readonly code = 'QUEUE_UNAVAILABLE'
  readonly retry = 'later'
}

/** Redis is set to evict keys: it would drop jobs in silence. */
export class QueueEvictionError extends ServiceError {
  readonly code = 'QUEUE_EVICTION'
  readonly retry = 'never'

  constructor(policy: string) {
    super(`Redis evicts keys (maxmemory-policy ${policy}): set it to noeviction`)
  }
}
