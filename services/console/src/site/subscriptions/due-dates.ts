// The next due dates of a subscription, by the service's own rule: fixed seconds, or months from the date before with
// the day clamped to the month's length.

const FIXED_SECONDS: Readonly<Record<string, number>> = { Daily: 86_400, Weekly: 604_800 }
const CALENDAR_MONTHS: Readonly<Record<string, number>> = {
  Monthly: 1,
  Quarterly: 3,
  SemiAnnually: 6,
  Annually: 12,
}

function addMonths(seconds: number, months: number): number {
  const date = new Date(seconds * 1_000)
  const day = date.getUTCDate()
  date.setUTCDate(1)
  date.setUTCMonth(date.getUTCMonth() + months)
  const daysInMonth = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate()
  date.setUTCDate(Math.min(day, daysInMonth))
  return date.getTime() / 1_000
}

/**
 * @param first the next due date, Unix seconds
 * @param frequency as the API writes it: `{Monthly: null}`, `{Custom: seconds}`
 * @param most how many payments are still to come; Infinity without an end
 * @returns the due dates up to the end, both in Unix seconds, at most 60
 */
export function dueDatesUntil(
  first: number,
  frequency: Readonly<Record<string, unknown>>,
  until: number,
  most = Infinity,
): number[] {
  const [name = '', value] = Object.entries(frequency)[0] ?? []
  const months = CALENDAR_MONTHS[name]
  const seconds = name === 'Custom' ? Number(value) : FIXED_SECONDS[name]
  const dates: number[] = []
  for (let due = first; due <= until && dates.length < Math.min(most, 60);) {
    dates.push(due)
    if (months !== undefined) due = addMonths(due, months)
    else if (seconds !== undefined && seconds > 0) due += seconds
    else break
  }
  return dates
}
