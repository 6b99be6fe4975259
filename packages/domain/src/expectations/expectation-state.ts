// An expected payment is a state of a sum. `stateOf` is the only place that decides it, and `NOTICES` the only place that
// decides the notices of a change.
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
const STATES: Record<'stands' | 'cancelled', Record<Term, Record<Sum, ExpectationState>>> = {
  stands: {
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
  return STATES[cancelledAt === null ? 'stands' : 'cancelled'][term][sumOf(amount, paidAmount)]
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
 * The notices of a change: the state before × the state after. Nothing follows a cancellation. Time never goes back, so what has
 * expired becomes open or underpaid only on paper.
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
  expired: { open: NONE, underpaid: NONE, paid: PAID, overpaid: OVERPAID, expired: NONE, cancelled: NONE },
  cancelled: { open: NONE, underpaid: NONE, paid: NONE, overpaid: NONE, expired: NONE, cancelled: NONE },
}

/** What was written last, and gateways and sockets were notified of. */
export interface NotifiedState {
  state: ExpectationState
  changedAt: Date
  /** counts the changes */
  changes: bigint
}

/** One change of the state, with the sums at it. */
export interface ExpectationChange extends NotifiedState {
  sums: ExpectedSums
  types: readonly ExpectationType[]
}

/**
 * The changes that sums bring, in their order. What has expired before the sums changed expires first, also where the
 * scheduler has not seen it yet: the notices do not depend on when the scheduler looks.
 */
export function changesOf(
  notified: NotifiedState,
  expected: Expected,
  { before, after, now }: { before: ExpectedSums; after: ExpectedSums; now: Date },
): ExpectationChange[] {
  const changes: ExpectationChange[] = []
  let last: NotifiedState = notified
  const step = (state: ExpectationState, sums: ExpectedSums) => {
    if (state === last.state) return
    const { expiresAt } = expected
    // An unpaid one changes when its time is over, whoever notices it when.
    const isByTime = state === 'expired' && !isMet(last.state) && expiresAt! > last.changedAt
    const changedAt = isByTime ? expiresAt! : now
    const types = NOTICES[last.state][state]
    const change = { state, changedAt, changes: last.changes + 1n, sums, types }
    changes.push(change)
    last = change
  }
  const passed = stateOf(expected, before, now)
  if (passed === 'expired') step(passed, before)
  step(stateOf(expected, after, now), after)
  return changes
}

/** Whether time alone can change the state. */
export const mayExpire = (state: ExpectationState): boolean => state === 'open' || state === 'underpaid'
