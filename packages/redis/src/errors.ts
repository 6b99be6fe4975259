import { ServiceError } from '@payment-tracking/runtime'

/** Redis cannot be reached or does not answer in time: the same call may succeed later. */
export class RedisUnavailableError extends ServiceError {
  readonly code = 'SIGNAL_UNAVAILABLE'
  readonly retry = 'later'
}

/** Redis is set to evict keys: it would drop seats in silence, and more than are allowed would be admitted. */
export class RedisEvictionError extends ServiceError {
  readonly code = 'REDIS_EVICTION'
  readonly retry = 'never'

  constructor(policy: string) {
    super(`Redis evicts keys (maxmemory-policy ${policy}): set it to noeviction`)
  }
}
