// Covers a span of time with stored counts (days, hours) and the events at its edges.

import { DAY, HOUR } from '@payment-tracking/domain'

const HOUR_MS = HOUR * 1_000
const DAY_MS = DAY * 1_000

/** Milliseconds since the epoch, from inclusive, to exclusive; null is open. */
export interface TimeRange {
  fromMs: number | null
  toMs: number | null
}

export interface TimeCover {
  /** ranges made of whole buckets of that span */
  buckets: { span: number; range: TimeRange }[]
  /** ranges to read from the events themselves, shorter than an hour each */
  edges: TimeRange[]
  /** all whole hours, from the first to the last */
  hours: TimeRange
}

const up = (ms: number, step: number): number => Math.ceil(ms / step) * step
const down = (ms: number, step: number): number => Math.floor(ms / step) * step
const isEmpty = ({ fromMs, toMs }: TimeRange): boolean => fromMs !== null && toMs !== null && fromMs >= toMs

/**
 * Covers a range by whole days, whole hours at their ends, and at most two edges. Every moment of the range is in
 * exactly one part. Buckets cover an open range up to the last stored bucket.
 */
export function coverTime({ fromMs, toMs }: TimeRange): TimeCover {
  if (isEmpty({ fromMs, toMs })) return { buckets: [], edges: [], hours: NEVER }
  const hourFrom = fromMs === null ? null : up(fromMs, HOUR_MS)
  const hourTo = toMs === null ? null : down(toMs, HOUR_MS)
  if (hourFrom !== null && hourTo !== null && hourFrom > hourTo)
    return { buckets: [], edges: [{ fromMs, toMs }], hours: NEVER }

  const dayFrom = hourFrom === null ? null : up(hourFrom, DAY_MS)
  const dayTo = hourTo === null ? null : down(hourTo, DAY_MS)
  const hasDays = dayFrom === null || dayTo === null || dayFrom < dayTo
  const buckets = hasDays
    ? [
        { span: DAY, range: { fromMs: dayFrom, toMs: dayTo } },
        ...(hourFrom === null ? [] : [hours(hourFrom, dayFrom)]),
        ...(hourTo === null ? [] : [hours(dayTo, hourTo)]),
      ]
    : [hours(hourFrom, hourTo)]
  const edges = [
    ...(fromMs === null ? [] : [{ fromMs, toMs: hourFrom }]),
    ...(toMs === null ? [] : [{ fromMs: hourTo, toMs }]),
  ]
  return {
    buckets: buckets.filter(({ range }) => !isEmpty(range)),
    edges: edges.filter(range => !isEmpty(range)),
    hours: { fromMs: hourFrom, toMs: hourTo },
  }
}

const NEVER: TimeRange = { fromMs: 0, toMs: 0 }

const hours = (fromMs: number | null, toMs: number | null) => ({ span: HOUR, range: { fromMs, toMs } })

/** Inclusive bounds at a resolution of a millisecond, as a range. */
export const toTimeRange = (startTime?: Date, endTime?: Date): TimeRange => ({
  fromMs: startTime === undefined ? null : startTime.getTime(),
  toMs: endTime === undefined ? null : endTime.getTime() + 1,
})
