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
  if (months !== undefined) return isServable(lastPaidAt) ? dueByMonths(createdDue, months, lastPaidAt) : null
  const interval = intervalOf(frequency)
  return interval === null ? null : stepBySeconds(createdDue, interval, lastPaidAt)
}

/** In seconds; null for a frequency that has none. */
export function intervalOf({ name, seconds }: Frequency): bigint | null {
  const interval = name === 'Custom' ? seconds : FIXED_SECONDS.get(name)
  return interval === undefined || interval <= 0n ? null : interval
}

/**
 * How many dates of a schedule are before a moment. In closed form: a subscription that is due each second has millions in a month.
 * @param createdDue the first date, from 1970 to 9999
 */
export function countDatesBefore(createdDue: bigint, frequency: Frequency, moment: bigint): bigint {
  if (createdDue >= moment) return 0n
  const months = CALENDAR_MONTHS.get(frequency.name)
  if (months !== undefined)
    return BigInt(Math.min(MAX_STEPS + 1, stepByMonths(createdDue, months, moment - 1n).step))
  const interval = intervalOf(frequency)
  return interval === null ? 1n : (moment - createdDue + interval - 1n) / interval
}

/** In closed form: a policy with an interval of one second must not take 30 million steps after a year. */
function stepBySeconds(createdDue: bigint, interval: bigint, lastPaidAt: bigint): bigint | null {
  const steps = (lastPaidAt - createdDue) / interval + 1n
  const due = createdDue + steps * interval
  return isServable(due) ? due : null
}

/** Each month has it. */
const SAFE_DAY = 28

function dueByMonths(createdDue: bigint, months: number, lastPaidAt: bigint): bigint | null {
  const { step, due } = stepByMonths(createdDue, months, lastPaidAt)
  return step <= MAX_STEPS && isServable(due) ? due : null
}

/**
 * The first date after a moment that is not before `createdDue`, and how many dates are before it. Each date follows from the date
 * before, as in the program: 31 January is followed by 28 February, and that by 28 March. So the shortest month on the way decides, and
 * within two years each month has been met at its shortest.
 */
function stepByMonths(createdDue: bigint, months: number, moment: bigint): { step: number; due: bigint } {
  const timeOfDay = Number(createdDue) % SECONDS_PER_DAY
  const first = fromEpochDays((Number(createdDue) - timeOfDay) / SECONDS_PER_DAY)
  const last = fromEpochDays(Math.floor(Number(moment) / SECONDS_PER_DAY))
  const monthOf = (step: number) => {
    const monthsSinceYear = first.month - 1 + step * months
    return { year: first.year + Math.floor(monthsSinceYear / 12), month: (monthsSinceYear % 12) + 1 }
  }
  const dueAt = (step: number): bigint => {
    let { day } = first
    for (let met = 1; met <= Math.min(step, 24 / months) && day > SAFE_DAY; met++)
      day = Math.min(day, daysInMonth(monthOf(met).year, monthOf(met).month))
    return BigInt(toEpochDays({ ...monthOf(step), day }) * SECONDS_PER_DAY + timeOfDay)
  }
  // The first date in the month of the moment or later: if it is not after the moment, the next one is.
  const monthsSince = (last.year - first.year) * 12 + last.month - first.month
  const near = Math.max(1, Math.ceil(monthsSince / months))
  const due = dueAt(near)
  return due > moment ? { step: near, due } : { step: near + 1, due: dueAt(near + 1) }
}
