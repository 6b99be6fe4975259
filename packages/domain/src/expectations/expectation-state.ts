// An expected payment is a state of a sum. `stateOf` is the only place that decides it, and `NOTICES` the only place that
// decides the notices of a change. A change is another state or another sum.
import type { ExpectationType } from './expectation-types.js'

export const EXPECTATION_STATES = ['open', 'underpaid', 'paid', 'overpaid', 'expired', 'cancelled'] as const
export type ExpectationState = (typeof EXPECTATION_STATES)[number]

/** What was agreed. */
export interface Expected {
  /** more than 0 */
  amount: bigint
  /** null: it does not expire */
  expiresAt: Date | null
  cancelledAt: Date | null
}

/** Over all payments that count, or over the final ones alone. */
export interface ExpectedSums {
  paidAmount: bigint
  /** of payments with a block time up to `expiresAt` */
  inTimeAmount: bigint
  paymentCount: bigint
}

export const NOTHING_PAID: ExpectedSums = { paidAmount: 0n, inTimeAmount: 0n, paymentCount: 0n }

/** How a sum stands to the amount. */
type Sum = 'nothing' | 'a part' | 'all' | 'more'
type Term = 'running' | 'past'

const sumOf = (amount: bigint, paid: bigint): Sum =>
  paid > amount ? 'more' : paid === amount ? 'all' : paid > 0n ? 'a part' : 'nothing'

const ALL_CANCELLED: Record<Sum, ExpectationState> = {
  nothing: 'cancelled',
  'a part': 'cancelled',
  all: 'cancelled',
  more: 'cancelled',
}

/** Every combination: of cancelling, the clock and the sum. */
const STATES: Record<'not cancelled' | 'cancelled', Record<Term, Record<Sum, ExpectationState>>> = {
  'not cancelled': {
    running: { nothing: 'open', 'a part': 'underpaid', all: 'paid', more: 'overpaid' },
    past: { nothing: 'expired', 'a part': 'expired', all: 'paid', more: 'overpaid' },
  },
  cancelled: { running: ALL_CANCELLED, past: ALL_CANCELLED },
}

/** The state at a moment. The moment `expiresAt` itself is in time. */
export function stateOf(
  { amount, expiresAt, cancelledAt }: Expected,
  { paidAmount }: ExpectedSums,
  now: Date,
): ExpectationState {
  const term = expiresAt !== null && now > expiresAt ? 'past' : 'running'
  return STATES[cancelledAt === null ? 'not cancelled' : 'cancelled'][term][sumOf(amount, paidAmount)]
}

const isMet = (state: ExpectationState): boolean => state === 'paid' || state === 'overpaid'

/** Whether it is met only with payments that came after `expiresAt`. */
export const isLate = (state: ExpectationState, { amount }: Expected, { inTimeAmount }: ExpectedSums) =>
  isMet(state) && inTimeAmount < amount

const NONE: readonly ExpectationType[] = []
const PAID: readonly ExpectationType[] = ['expectation.paid']
const UNDERPAID: readonly ExpectationType[] = ['expectation.underpaid']
const OVERPAID: readonly ExpectationType[] = ['expectation.overpaid']
const EXPIRED: readonly ExpectationType[] = ['expectation.expired']
const REOPENED: readonly ExpectationType[] = ['expectation.reopened']
const REOPENED_LATE: readonly ExpectationType[] = ['expectation.reopened', 'expectation.expired']

/**
 * The notices of a change, by the state before and the state after. Where the state stays the same, they are those of a higher
 * sum; a lower sum has none. A cancelled expectation has none. An expired expectation cannot become open or underpaid.
 */
export const NOTICES: Record<ExpectationState, Record<ExpectationState, readonly ExpectationType[]>> = {
  open: {
    open: NONE,
    underpaid: UNDERPAID,
    paid: PAID,
    overpaid: OVERPAID,
    expired: EXPIRED,
    cancelled: NONE,
  },
  underpaid: {
    open: NONE,
    underpaid: NONE,
    paid: PAID,
    overpaid: OVERPAID,
    expired: EXPIRED,
    cancelled: NONE,
  },
  paid: {
    open: REOPENED,
    underpaid: REOPENED,
    paid: NONE,
    overpaid: OVERPAID,
    expired: REOPENED_LATE,
    cancelled: NONE,
  },
  overpaid: {
    open: REOPENED,
    underpaid: REOPENED,
    paid: PAID,
    overpaid: NONE,
    expired: REOPENED_LATE,
    cancelled: NONE,
  },
  expired: {
    open: NONE,
    underpaid: NONE,
    paid: PAID,
    overpaid: OVERPAID,
    expired: UNDERPAID,
    cancelled: NONE,
  },
  cancelled: { open: NONE, underpaid: NONE, paid: NONE, overpaid: NONE, expired: NONE, cancelled: NONE },
}

/** What was written last, and gateways and sockets were notified of. */
export interface NotifiedState {
  state: ExpectationState
  /** later at each change */
  changedAt: Date
  /** counts the changes */
  changes: bigint
}

/** One change, with the sums at it. */
export interface ExpectationChange extends NotifiedState {
  sums: ExpectedSums
  types: readonly ExpectationType[]
  /** payments did it; otherwise the clock or the gateway */
  isByPayments: boolean
}

/**
 * The changes that sums, the clock and cancelling bring, in their order. What has expired before the sums changed, or before it was
 * cancelled, expires first, also where the scheduler has not seen it yet: the notices do not depend on when the scheduler checks.
 */
export function changesOf(
  notified: NotifiedState,
  expected: Expected,
  { before, after, now }: { before: ExpectedSums; after: ExpectedSums; now: Date },
): ExpectationChange[] {
  if (notified.state === 'cancelled') return []
  const { expiresAt, cancelledAt } = expected
  const changes: ExpectationChange[] = []
  let last: Pick<ExpectationChange, keyof NotifiedState | 'sums'> = { ...notified, sums: before }
  const step = (state: ExpectationState, sums: ExpectedSums, at: Date, isByPayments: boolean) => {
    const rise = sums.paidAmount - last.sums.paidAmount
    if (state === last.state && rise === 0n) return
    const types = state === last.state && rise < 0n ? NONE : NOTICES[last.state][state]
    // Receivers dedupe by the time of a change.
    const changedAt = at > last.changedAt ? at : new Date(last.changedAt.getTime() + 1)
    const change = { state, changedAt, changes: last.changes + 1n, sums, types, isByPayments }
    changes.push(change)
    last = change
  }
  const passed = stateOf({ ...expected, cancelledAt: null }, before, cancelledAt ?? now)
  if (passed === 'expired') step(passed, before, expiresAt!, false)
  if (cancelledAt === null) step(stateOf(expected, after, now), after, now, true)
  else step('cancelled', NOTHING_PAID, cancelledAt, false)
  return changes
}

/** Whether time alone can change the state. */
export const mayExpire = (state: ExpectationState): boolean => state === 'open' || state === 'underpaid'
