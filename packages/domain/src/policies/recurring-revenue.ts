// Monthly recurring revenue and due dates to come.
import { countDatesBefore, nextPaymentDue, type Frequency } from './due-date.js'

export interface Fraction {
  numerator: bigint
  denominator: bigint
}

/** A mean month of the Gregorian calendar: 30.436875 days. */
const SECONDS_PER_MONTH = 2_629_746n
const SECONDS: ReadonlyMap<string, bigint> = new Map([
  ['Daily', 86_400n],
  ['Weekly', 604_800n],
])
const MONTHS: ReadonlyMap<string, bigint> = new Map([
  ['Monthly', 1n],
  ['Quarterly', 3n],
  ['SemiAnnually', 6n],
  ['Annually', 12n],
])

/**
 * What a subscription comes to in a month.
 * @returns null for a frequency that we do not know, and for an interval of 0 seconds
 */
export function perMonth(amount: bigint, frequency: Frequency): Fraction | null {
  const months = MONTHS.get(frequency.name)
  if (months !== undefined) return { numerator: amount, denominator: months }
  const seconds = frequency.name === 'Custom' ? frequency.seconds : SECONDS.get(frequency.name)
  if (seconds === undefined || seconds <= 0n) return null
  return { numerator: amount * SECONDS_PER_MONTH, denominator: seconds }
}

/** Each frequency with a name divides it. */
const PARTS = 604_800n * 10n ** 24n

/**
 * What a subscription comes to in a month, in parts of the token's smallest unit. Sums of parts are exact, so what is added
 * and taken away again leaves nothing. 0 for a frequency that has no month.
 *
 * A sum of fractions is exact over a common denominator, which grows with each other interval that somebody chose: 1,000 took a
 * minute and a half. So what is no multiple of a `PARTS`-th is cut there, which is a 10^-29th of the smallest unit. It is rounded
 * up, so that parts of a half make a half.
 */
export function monthlyParts(amount: bigint, frequency: Frequency): bigint {
  if (amount < 0n) return -monthlyParts(-amount, frequency)
  const fraction = perMonth(amount, frequency)
  if (fraction === null) return 0n
  return (fraction.numerator * PARTS + fraction.denominator - 1n) / fraction.denominator
}

/** Half up. */
export const roundParts = (parts: bigint): bigint => floorDivide(2n * parts + PARTS, 2n * PARTS)

/** Rounded down, of negative parts too, and the parts that are left: 0 or more. */
export function cutParts(parts: bigint): { whole: bigint; rest: bigint } {
  const whole = floorDivide(parts, PARTS)
  return { whole, rest: parts - whole * PARTS }
}

function floorDivide(dividend: bigint, divisor: bigint): bigint {
  const quotient = dividend / divisor
  return dividend < 0n && quotient * divisor !== dividend ? quotient - 1n : quotient
}

/** What subscriptions come to in a month. Rounded once, half up, so that no order of them changes it. */
export class MonthlyRevenue {
  #parts = 0n

  /** @param amount of one payment; negative for a subscription that was added before and has ended */
  add(amount: bigint, frequency: Frequency): void {
    this.#parts += monthlyParts(amount, frequency)
  }

  rounded(): bigint {
    return roundParts(this.#parts)
  }
}

export interface DueSchedule {
  frequency: Frequency
  /** the next due date, Unix seconds */
  nextDue: bigint
  /** payments that may still be made; null is no end */
  paymentsLeft: bigint | null
}

/**
 * The due dates from `from` up to but not including `to`, earliest first.
 * @param most so many at most: a policy of one second has millions
 */
export function dueDatesBetween(schedule: DueSchedule, from: bigint, to: bigint, most: number): bigint[] {
  const { frequency, nextDue, paymentsLeft } = schedule
  const limit = paymentsLeft === null || paymentsLeft > BigInt(most) ? most : Number(paymentsLeft)
  const after = (moment: bigint): bigint | null =>
    nextPaymentDue({ createdDue: nextDue, frequency, lastPaidAt: moment })
  const dates: bigint[] = []
  let due = nextDue >= from ? nextDue : after(from - 1n)
  while (due !== null && due < to && dates.length < limit) {
    dates.push(due)
    due = after(due)
  }
  return dates
}

/** As many as `dueDatesBetween` lists, without a list. */
export function countDueDates(
  { frequency, nextDue, paymentsLeft }: DueSchedule,
  from: bigint,
  to: bigint,
): bigint {
  const count = countDatesBefore(nextDue, frequency, to) - countDatesBefore(nextDue, frequency, from)
  return paymentsLeft !== null && paymentsLeft < count ? paymentsLeft : count
}
