// A query that is too broad for the statement timeout is refused. The refusal names the filter that would make the
// query cheap.
import { StoreTimeoutError } from '@payment-tracking/store/core'
import { ApiError } from './api-errors.js'

interface Narrowing {
  startTime?: Date | undefined
  endTime?: Date | undefined
  offset?: number
}

/** Beyond this offset, skipping rows takes most of the time. */
const DEEP_OFFSET = 1_000

function remedyOf({ startTime, endTime, offset = 0 }: Narrowing): [code: string, sentence: string] {
  if (offset > DEEP_OFFSET) return ['USE_CURSOR', 'Use cursor instead of offset']
  if (startTime === undefined) return ['ADD_START_TIME', 'Add startTime']
  if (endTime === undefined) return ['ADD_END_TIME', 'Add endTime']
  return ['SHORTEN_TIME_RANGE', 'Bring startTime and endTime closer together']
}

const tooSlow = (remedy: string, sentence: string, cause: unknown): ApiError =>
  new ApiError(`QUERY_TOO_SLOW_${remedy}`, `This takes too long to find. ${sentence} and try again.`, {
    retry: 'later',
    cause,
  })

/** For `catch`: turns a statement timeout into a refusal that names the missing filter. Rethrows every other error. */
export const nameMissingFilter =
  (narrowing: Narrowing) =>
  (error: unknown): never => {
    if (!(error instanceof StoreTimeoutError)) throw error
    throw tooSlow(...remedyOf(narrowing), error)
  }

/** The same for subscriptions, for which a tracking ID is the best filter. */
export function nameTrackingId(error: unknown): never {
  if (!(error instanceof StoreTimeoutError)) throw error
  throw tooSlow('ADD_TRACKING_ID', 'Add trackingId', error)
}
