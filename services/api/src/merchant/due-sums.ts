// Adds up what policies owe in a span. Due dates are counted, and none is listed: a subscription that is due each second has millions
// in a month.
import {
  countDueDates,
  dueDatesBetween,
  dueStateOf,
  intervalOf,
  type DueSchedule,
  type PolicyTerms,
} from '@payment-tracking/domain'
import type { PolicyWithDueDates, StateClock } from '@payment-tracking/store/reads'

const DAY = 86_400
const DAY_SECONDS = BigInt(DAY)
/** Rows by day and token of an answer: each policy can have a token of its own. */
const MOST_DAYS = 10_000
/** Rows that are kept while policies are added: days after those of the answer's rows go when there are more. */
const MOST_KEPT = 4 * MOST_DAYS
/** By day only the beginning of a long span is listed. */
const DAYS_LISTED = 400

/** In Unix seconds. */
export interface DueSpan {
  from: bigint
  to: bigint
  now: bigint
}

/** What a policy owes in a span. */
export interface PolicyDues {
  amount: bigint
  /** the payment whose date has passed, where the span has the date */
  owed: bigint | null
  /** the dates to come, from now or the beginning of the span on, as far as its renewals go */
  schedule: DueSchedule
  from: bigint
}

/**
 * Dates that nobody paid are not made up for: the next payment leaves none before it.
 * @returns null for a policy that owes nothing at a known time
 */
export function duesOf(
  policy: Pick<PolicyWithDueDates, 'paymentCount' | 'createdAt' | 'nextPaymentDue'>,
  terms: PolicyTerms,
  { from, to, now }: DueSpan,
): PolicyDues | null {
  const next = nextOf(policy, terms)
  if (next === null || next.nextDue === null || next.nextDue < 0n || next.nextDue >= to) return null
  const { frequency, nextDue, amount, paymentsLeft } = next
  if (paymentsLeft !== null && paymentsLeft <= 0n) return null
  const isOwed = nextDue < now
  return {
    amount,
    owed: isOwed && nextDue >= from ? nextDue : null,
    schedule: {
      frequency,
      nextDue,
      paymentsLeft: paymentsLeft === null || !isOwed ? paymentsLeft : paymentsLeft - 1n,
    },
    from: from > now ? from : now,
  }
}

function nextOf(
  { paymentCount, createdAt, nextPaymentDue }: Parameters<typeof duesOf>[0],
  terms: PolicyTerms,
) {
  if (terms.kind === 'one-time') {
    const nextDue = terms.dueDate > 0n ? terms.dueDate : createdAt
    return { nextDue, amount: terms.amount, frequency: { name: 'once' }, paymentsLeft: 1n - paymentCount }
  }
  if (terms.kind !== 'subscription') return null
  const { amount, frequency, maxRenewals, autoRenew } = terms
  // Without automatic renewal, a subscription with an end is over after one payment.
  const all = maxRenewals === null ? null : autoRenew ? BigInt(maxRenewals) : 1n
  return {
    nextDue: nextPaymentDue,
    amount,
    frequency,
    paymentsLeft: all === null ? null : all - paymentCount,
  }
}

interface DueSum {
  count: bigint
  total: bigint
}

type TokenSum = DueSum & { overdue: DueSum }

export class DueSums {
  readonly #tokens = new Map<string | null, TokenSum>()
  readonly #days = new Map<number, Map<string | null, DueSum>>()
  /** rows of `#days`, and how many it may have: never many times those of the answer */
  #kept = 0
  #room = MOST_KEPT
  /** null: no day is left out */
  #lastDay: number | null = null

  constructor(
    private readonly span: DueSpan,
    private readonly clock: StateClock,
  ) {}

  /** @returns how many sums it took */
  add({ tokenMint, dueAt }: Pick<PolicyWithDueDates, 'tokenMint' | 'dueAt'>, dues: PolicyDues): number {
    const { amount, owed, schedule, from } = dues
    const { to } = this.span
    const coming = from < to ? countDueDates(schedule, from, to) : 0n
    if (owed === null && coming === 0n) return 1
    const sum = this.#tokens.get(tokenMint) ?? { count: 0n, total: 0n, overdue: { count: 0n, total: 0n } }
    this.#tokens.set(tokenMint, sum)
    addTo(sum, coming + (owed === null ? 0n : 1n), amount)
    const policy = { live: true, status: 'active', dueAt, endsAt: null }
    if (owed !== null && dueStateOf(policy, this.clock.nowSeconds, this.clock.graceSeconds) === 'overdue')
      addTo(sum.overdue, 1n, amount)
    const days = this.#addDays(tokenMint, dues)
    if (this.#kept > this.#room) this.#dropLastDays()
    return days
  }

  #end(): bigint {
    const { from, to } = this.span
    const ends = [to, from + BigInt(DAYS_LISTED) * DAY_SECONDS]
    if (this.#lastDay !== null) ends.push(BigInt(this.#lastDay + 1) * DAY_SECONDS)
    return ends.reduce((first, end) => (end < first ? end : first))
  }

  /** Later policies add rows to days, and take none away: what comes after the answer's rows now never comes into it. */
  #dropLastDays(): void {
    let rows = 0
    for (const [day, tokens] of [...this.#days].sort(byDay)) {
      if (rows >= MOST_DAYS) this.#days.delete(day)
      else [rows, this.#lastDay] = [rows + tokens.size, day]
    }
    this.#kept = rows
    this.#room = Math.max(MOST_KEPT, 2 * rows)
  }

  #addDays(tokenMint: string | null, { amount, owed, schedule, from }: PolicyDues): number {
    const to = this.#end()
    let days = 1
    const add = (second: bigint, count: bigint) => {
      days += 1
      const day = Number(second / DAY_SECONDS)
      const tokens = this.#days.get(day) ?? new Map<string | null, DueSum>()
      this.#days.set(day, tokens)
      const sum = tokens.get(tokenMint) ?? { count: 0n, total: 0n }
      if (sum.count === 0n) this.#kept += 1
      tokens.set(tokenMint, sum)
      addTo(sum, count, amount)
    }
    if (owed !== null && owed < to) add(owed, 1n)
    if (from >= to) return days
    const interval = intervalOf(schedule.frequency)
    if (interval === null || interval >= DAY_SECONDS) {
      for (const date of dueDatesBetween(schedule, from, to, DAYS_LISTED + 1)) add(date, 1n)
      return days
    }
    // Several dates on a day.
    const all = countDueDates(schedule, from, to)
    const first = schedule.nextDue > from ? schedule.nextDue : from
    let before = 0n
    for (let day = first - (first % DAY_SECONDS); before < all; day += DAY_SECONDS) {
      const end = day + DAY_SECONDS
      const until = countDueDates(schedule, from, end < to ? end : to)
      if (until > before) add(day, until - before)
      before = until
    }
    return days
  }

  get keptRows(): number {
    return this.#kept
  }

  byToken(): (TokenSum & { tokenMint: string | null })[] {
    return [...this.#tokens].map(([tokenMint, sum]) => ({ tokenMint, ...sum }))
  }

  /** The first days, as many rows as an answer holds. @returns `complete`: false when there are more */
  byDay(): { days: (DueSum & { day: number; tokenMint: string | null })[]; complete: boolean } {
    const days = [...this.#days]
      .sort(byDay)
      .flatMap(([day, tokens]) => [...tokens].map(([tokenMint, sum]) => ({ day, tokenMint, ...sum })))
    return { days: days.slice(0, MOST_DAYS), complete: days.length <= MOST_DAYS && this.#lastDay === null }
  }
}

const byDay = ([a]: readonly [number, unknown], [b]: readonly [number, unknown]): number => a - b

function addTo(sum: DueSum, count: bigint, amount: bigint): void {
  sum.count += count
  sum.total += count * amount
}
