// Monthly recurring revenue and due dates to come.
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

/** Each frequency with a name divides it. */
const PARTS = 604_800n * 10n ** 24n

/** Rounded up, so that parts of a half make a half. */
const partsOf = ({ numerator, denominator }: Fraction): bigint =>
  (numerator * PARTS + denominator - 1n) / denominator

/**
 * What subscriptions come to in a month. Rounded once, half up, so that no order of them changes it. A frequency that has no
 * month adds nothing.
 *
 * A sum of fractions is exact over a common denominator, which grows with each other interval that somebody chose: 1,000 took a
 * minute and a half. So what is no multiple of a `PARTS`-th is cut there, which is a 10^-29th of the smallest unit.
 */
export class MonthlyRevenue {
  readonly #rates = new Map<string, { amount: bigint; parts: bigint }>()
  #parts = 0n

  /** @param amount of one payment; negative for a subscription that was added before and has ended */
  add(amount: bigint, frequency: Frequency): void {
    const key = `${frequency.name} ${frequency.seconds ?? ''}`
    const rate = this.#rates.get(key) ?? { amount: 0n, parts: 0n }
    const fraction = perMonth(rate.amount + amount, frequency)
    if (fraction === null) return
    const parts = partsOf(fraction)
    this.#parts += parts - rate.parts
    this.#rates.set(key, { amount: rate.amount + amount, parts })
  }

  rounded(): bigint {
    return (2n * this.#parts + PARTS) / (2n * PARTS)
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
