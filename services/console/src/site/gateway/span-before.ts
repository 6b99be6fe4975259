const DAY_MS = 86_400_000

/** As long as the span, and whole days earlier: it begins with a day of UTC too, and ends at the same time of the day. */
export function spanBefore({ startTime, endTime }: { startTime: string; endTime: string }) {
  const [start, end] = [Date.parse(startTime), Date.parse(endTime)]
  const days = Math.ceil((end - start) / DAY_MS)
  return { days, start: start - days * DAY_MS, end: end - days * DAY_MS }
}
