// The span of time that a request for revenue names, and the size of its buckets.
import { bucketStart, readLifeStart, type BucketSize } from '@payment-tracking/store/reads'
import { type Store } from '@payment-tracking/store/core'
import { InvalidParameterError } from '../http/api-errors.js'
import { parseTime } from '../http/formats.js'
import { bucketsOf, type Span } from './read-revenue.js'

const DAY = 86_400
const MOST_BUCKETS = 400
const SIZES: readonly BucketSize[] = ['day', 'week', 'month']

export interface SpanQuery {
  startTime?: string
  endTime?: string
  bucket?: string
}

const secondsOf = (text: string, dateIs: 'first' | 'last'): number =>
  Math.ceil(parseTime(text, 'up', dateIs)!.getTime() / 1000)

/** The first second of a span, and the first after it: a date without a time is the whole day. In Unix seconds. */
export const readBounds = ({ startTime, endTime }: SpanQuery): { from?: number; to?: number } => ({
  ...(startTime !== undefined && { from: secondsOf(startTime, 'first') }),
  ...(endTime !== undefined && { to: secondsOf(endTime, 'last') }),
})

/**
 * The requested span; without `startTime` the whole life of the gateway.
 * @throws InvalidParameterError
 */
export async function readSpan(
  store: Store,
  gateway: string,
  query: SpanQuery,
  nowMs: number,
): Promise<Span> {
  const size = SIZES.find(each => each === query.bucket) ?? 'day'
  const { from, to: end } = readBounds(query)
  const to = end ?? Math.floor(nowMs / 1000)
  if (from === undefined) {
    const first = await readLifeStart(store, gateway)
    return { ...coverLife(first ?? to - 1, to, size), whole: end === undefined }
  }
  if (from >= to) throw new InvalidParameterError('startTime', 'must be before endTime')
  const span: Span = { from, to, size }
  // Days are the smallest buckets and months the largest: a longer span is not cut into buckets to count them.
  if ((to - from) / DAY > MOST_BUCKETS * 31 || bucketsOf(span).length > MOST_BUCKETS)
    throw new InvalidParameterError('startTime', `must leave at most ${MOST_BUCKETS} buckets`)
  return span
}

/** Buckets from the first to the last moment of a life: the smallest of which 400 are enough, else the last 400 months. */
function coverLife(first: number, to: number, smallest: BucketSize): Span {
  const begin = Math.min(first, to - 1)
  for (const size of SIZES.slice(SIZES.indexOf(smallest))) {
    const span = { from: bucketStart(begin, size), to, size }
    if ((to - begin) / DAY <= MOST_BUCKETS * 31 && bucketsOf(span).length <= MOST_BUCKETS) return span
  }
  const last = new Date((to - 1) * 1000)
  const from = Date.UTC(last.getUTCFullYear(), last.getUTCMonth() - MOST_BUCKETS + 1, 1) / 1000
  return { from, to, size: 'month' }
}
