// A month of the chain's time, in UTC, as `2026-03`.

export interface MonthSpan {
  start: Date
  /** the start of the next month */
  end: Date
}

export const MONTH = /^\d{4}-(?:0[1-9]|1[0-2])$/

export const monthOf = (time: Date): string => time.toISOString().slice(0, 7)

export function spanOfMonth(month: string): MonthSpan {
  const start = new Date(`${month}-01T00:00:00.000Z`)
  return { start, end: new Date(Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + 1)) }
}

/** How many seconds ago a month had to be archived first, when `months` are kept. */
export const dueSeconds = (month: string, months: number, now = new Date()): number => {
  const { end } = spanOfMonth(month)
  return (now.getTime() - Date.UTC(end.getUTCFullYear(), end.getUTCMonth() + months)) / 1000
}

/**
 * The start of the first month that is kept.
 * @param months whole months that are kept before the month of `now`
 */
export const keptSince = (now: Date, months: number): Date =>
  new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - months))
