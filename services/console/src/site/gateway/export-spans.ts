// Which days a file is of, in UTC, as the service cuts days.

export const EXPORT_SPANS = ['page', 'this-month', 'last-month', 'all'] as const

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10)

/**
 * The first and the last day of a file, both in it; nothing for all time.
 * @param firstDay of the period that the page shows, which ends today
 * @param now milliseconds
 */
export function spanOf(
  chosen: (typeof EXPORT_SPANS)[number],
  firstDay: string,
  now: number,
): { startTime?: string; endTime?: string } {
  const today = new Date(now)
  const month = (offset: number) => Date.UTC(today.getUTCFullYear(), today.getUTCMonth() + offset, 1)
  switch (chosen) {
    case 'page':
      return { startTime: firstDay, endTime: dayOf(now) }
    case 'this-month':
      return { startTime: dayOf(month(0)), endTime: dayOf(now) }
    case 'last-month':
      return { startTime: dayOf(month(-1)), endTime: dayOf(month(0) - 1) }
    case 'all':
      return {}
  }
}
