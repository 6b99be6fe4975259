import { ServiceError } from '@payment-tracking/runtime'

/** Redis cannot be reached or does not answer in time: the same call may succeed later. */
export class RedisUnavailableError extends ServiceError {
  readonly code = 'SIGNAL_UNAVAILABLE'
  readonly retry = 'later'
}
