// When the next payment is due, by the contract's words, with the platform's calendar.

export type Frequency = { variant: string; field?: string }

const SECONDS: Record<string, number> = { Daily: 86_400, Weekly: 604_800 }
const MONTHS: Record<string, number> = { Monthly: 1, Quarterly: 3, SemiAnnually: 6, Annually: 12 }

/** The same day so many months later, or the last of that month. */
function addMonths(seconds: number, months: number): number {
  const date = new Date(seconds * 1000)
  const first = new Date(date)
  first.setUTCDate(1)
  first.setUTCMonth(first.getUTCMonth() + months)
  const lastDay = new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 1, 0)).getUTCDate()
  first.setUTCDate(Math.min(date.getUTCDate(), lastDay))
  return first.getTime() / 1000
}

/** @param createdDue and lastPaidAt in Unix seconds. @returns the first due date after the last payment */
export function nextDue(createdDue: number, frequency: Frequency, lastPaidAt: number | null): number {
  if (lastPaidAt === null || createdDue > lastPaidAt) return createdDue
  const months = MONTHS[frequency.variant]
  if (months !== undefined) {
    let due = createdDue
    while (due <= lastPaidAt) due = addMonths(due, months)
    return due
  }
  const step = SECONDS[frequency.variant] ?? Number(frequency.field)
  return createdDue + (Math.floor((lastPaidAt - createdDue) / step) + 1) * step
}
