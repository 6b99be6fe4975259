const DAY_MS = 86_400_000
/** Longer spans are drawn by weeks: a bar of a day would be thinner than a line. */
const MOST_DAYS = 90
const WEEKS = 52

/**
 * Whole days (UTC), as the exports have them, and whole weeks from Monday: a part of a day or of a week would look like a bad one.
 * Today is the last day, and this week the last week.
 * @param now milliseconds
 */
export function revenueSpan(
  days: number,
  now: number,
): { startTime: string; per: 'day' | 'week'; name: string } {
  const today = Math.floor(now / DAY_MS)
  if (days <= MOST_DAYS)
    return {
      startTime: new Date((today - days + 1) * DAY_MS).toISOString(),
      per: 'day',
      name: `${days} days`,
    }
  // The first day of 1970 was a Thursday.
  const monday = today - ((today + 3) % 7)
  return {
    startTime: new Date((monday - (WEEKS - 1) * 7) * DAY_MS).toISOString(),
    per: 'week',
    name: `${WEEKS} weeks`,
  }
}
