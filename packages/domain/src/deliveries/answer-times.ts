// How long requests to an endpoint took, as counts of classes: a percentile of any span is then a sum of small numbers.

/** Each class is this many times as long as the one before, so a percentile is right to within a tenth. */
const GROWTH = 1.2
/** What a class is shown as: as far, in parts, from its end as from its beginning. */
const MIDDLE = (1 + GROWTH) / 2
/** Three minutes: no request takes so long. */
const LAST_CLASS = 66

/** The class of a request that took so long: 0 up to one millisecond, else `n` up to 1.2ⁿ milliseconds. */
export const durationClass = (ms: number): number =>
  ms <= 1 ? 0 : Math.min(LAST_CLASS, Math.ceil(Math.log(ms) / Math.log(GROWTH)))

/** Milliseconds in the middle of a class. */
const middleOf = (duration: number): number => (duration === 0 ? 1 : Math.round(GROWTH ** duration / MIDDLE))

/**
 * The time within which this share of the requests was answered, to within a tenth.
 * @param counts requests by class, in any order
 * @returns milliseconds; null without any request
 */
export function percentileOf(
  counts: readonly { duration: number; requests: bigint }[],
  share: number,
): number | null {
  const total = counts.reduce((sum, { requests }) => sum + requests, 0n)
  const rank = BigInt(Math.max(1, Math.ceil(Number(total) * share)))
  let seen = 0n
  for (const { duration, requests } of [...counts].sort((a, b) => a.duration - b.duration))
    if ((seen += requests) >= rank) return middleOf(duration)
  return null
}
