// When a subscription is due next, by the contract's words and the platform's calendar.

const SECONDS: Record<string, number> = { Daily: 86_400, Weekly: 604_800 }
const MONTHS: Record<string, number> = { Monthly: 1, Quarterly: 3, SemiAnnually: 6, Annually: 12 }
const LAST = BigInt(Date.parse('9999-12-31T23:59:59Z') / 1000)

export const isServable = (seconds: bigint): boolean => seconds >= 0n && seconds <= LAST

/** The same day so many months later, or the last of that month. */
function addMonths(seconds: number, months: number): number {
  const date = new Date(seconds * 1000)
  const month = new Date(date)
  month.setUTCDate(1)
  month.setUTCMonth(month.getUTCMonth() + months)
  const lastDay = new Date(Date.UTC(month.getUTCFullYear(), month.getUTCMonth() + 1, 0)).getUTCDate()
  month.setUTCDate(Math.min(date.getUTCDate(), lastDay))
  return month.getTime() / 1000
}

/** All times in Unix seconds. @param seconds of the frequency `Custom` */
export function nextDue(
  createdDue: bigint,
  { name, seconds }: { name: string; seconds: bigint | null },
  lastPaidAt: bigint | null,
): bigint | null {
  if (lastPaidAt === null) return createdDue
  if (!isServable(createdDue)) return null
  if (createdDue > lastPaidAt) return createdDue
  const months = MONTHS[name]
  if (months !== undefined) {
    let due = Number(createdDue)
    while (BigInt(due) <= lastPaidAt) due = addMonths(due, months)
    return BigInt(due)
  }
  const step = name === 'Custom' ? seconds! : BigInt(SECONDS[name] ?? 0)
  if (step <= 0n) return null
  const due = createdDue + ((lastPaidAt - createdDue) / step + 1n) * step
  return isServable(due) ? due : null
}
