// When a subscription is due next, computed from the policy's terms and its last payment.
import { LAST_SECOND, SECONDS_PER_DAY, daysInMonth, fromEpochDays, toEpochDays } from '../time/civil-date.js'

export interface Frequency {
  /** the variant's name as on the chain: `Monthly`, `Custom`, or one that we do not know */
  name: string
  /** of `Custom`: the interval in seconds */
  seconds?: bigint
}

export interface Schedule {
  /** `next_payment_due` of the policy's creation, Unix seconds */
  createdDue: bigint
  frequency: Frequency
  /** `data.timestamp` of the last payment, Unix seconds */
  lastPaidAt: bigint | null
}

const FIXED_SECONDS: ReadonlyMap<string, bigint> = new Map([
  ['Daily', 86_400n],
  ['Weekly', 604_800n],
])

const CALENDAR_MONTHS: ReadonlyMap<string, number> = new Map([
  ['Monthly', 1],
  ['Quarterly', 3],
  ['SemiAnnually', 6],
  ['Annually', 12],
])

/** A century of months: no policy is paid that late. */
const MAX_STEPS = 1_200

const isServable = (seconds: bigint): boolean => seconds >= 0n && seconds <= BigInt(LAST_SECOND)

/**
 * The first due date strictly after the last payment. Due dates start at the date of the Created event and advance by
 * the frequency. Without a payment the date of the Created event is due.
 * @returns Unix seconds; null when no date from 1970 to 9999 is due: the interval is 0, the frequency is unknown and its
 *   first date has passed, or the date is too far away
 */
export function nextPaymentDue({ createdDue, frequency, lastPaidAt }: Schedule): bigint | null {
  if (lastPaidAt === null) return createdDue
  if (!isServable(createdDue)) return null
  if (createdDue > lastPaidAt) return createdDue

  const months = CALENDAR_MONTHS.get(frequency.name)
  if (months !== undefined) return stepByMonths(Number(createdDue), months, lastPaidAt)
  const interval = frequency.name === 'Custom' ? frequency.seconds : FIXED_SECONDS.get(frequency.name)
  return interval === undefined ? null : stepBySeconds(createdDue, interval, lastPaidAt)
}

/** In closed form: a policy with an interval of one second must not take 30 million steps after a year. */
function stepBySeconds(createdDue: bigint, interval: bigint, lastPaidAt: bigint): bigint | null {
  if (interval <= 0n) return null
  const steps = (lastPaidAt - createdDue) / interval + 1n
  const due = createdDue + steps * interval
  return isServable(due) ? due : null
}

/** Each month has it. */
const SAFE_DAY = 28

/**
 * Each date follows from the date before, as in the program: 31 January is followed by 28 February, and that by
 * 28 March. No month is walked that cannot shorten the day: ingest asks for each payment, and a date of 1970 is hundreds of
 * months before it.
 */
function stepByMonths(createdDue: number, months: number, lastPaidAt: bigint): bigint | null {
  if (!isServable(lastPaidAt)) return null
  const timeOfDay = createdDue % SECONDS_PER_DAY
  const first = fromEpochDays((createdDue - timeOfDay) / SECONDS_PER_DAY)
  const last = fromEpochDays(Math.floor(Number(lastPaidAt) / SECONDS_PER_DAY))
  const monthsSince = (last.year - first.year) * 12 + last.month - first.month
  // The first date in the month of the payment or later: if it is not after the payment, the next one is.
  const near = Math.max(1, Math.ceil(monthsSince / months))
  let { day } = first
  const dateAt = (step: number) => {
    const monthsSinceYear = first.month - 1 + step * months
    const [year, month] = [first.year + Math.floor(monthsSinceYear / 12), (monthsSinceYear % 12) + 1]
    day = Math.min(day, daysInMonth(year, month))
    return { year, month, day }
  }
  for (let step = 1; step < near && step <= MAX_STEPS && day > SAFE_DAY; step++) dateAt(step)
  for (let step = near; step <= Math.min(near + 1, MAX_STEPS); step++) {
    const due = BigInt(toEpochDays(dateAt(step)) * SECONDS_PER_DAY + timeOfDay)
    if (!isServable(due)) return null
    if (due > lastPaidAt) return due
  }
  return null
}
