// Monthly recurring revenue and due dates to come, in exact fractions.
import { nextPaymentDue, type Frequency } from './due-date.js'

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

const greatestCommonDivisor = (a: bigint, b: bigint): bigint => {
  while (b !== 0n) [a, b] = [b, a % b]
  return a
}

function add(a: Fraction, b: Fraction): Fraction {
  const numerator = a.numerator * b.denominator + b.numerator * a.denominator
  const denominator = a.denominator * b.denominator
  const common = greatestCommonDivisor(numerator, denominator)
  return common <= 1n
    ? { numerator, denominator }
    : { numerator: numerator / common, denominator: denominator / common }
}

/** The sum of fractions that are not negative, rounded once, half up: no order of them changes it. */
export function roundedSum(fractions: Iterable<Fraction>): bigint {
  // Equal denominators are nearly all: their numerators are plain sums.
  const byDenominator = new Map<bigint, bigint>()
  for (const { numerator, denominator } of fractions)
    byDenominator.set(denominator, (byDenominator.get(denominator) ?? 0n) + numerator)
  let sum: Fraction = { numerator: 0n, denominator: 1n }
  for (const [denominator, numerator] of byDenominator) sum = add(sum, { numerator, denominator })
  return (2n * sum.numerator + sum.denominator) / (2n * sum.denominator)
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
