// The state of a policy: a fold of its valid events in chain order. `applyToPolicy` is the fold, one event at a time.
// Ingest calls it in two ways. It appends an event that `isAppendable`. It folds the policy again from its stored events
// in all other cases (packages/store/src/ingest/recompute).
import type { ChainEvent, ChainOrder, PolicyFamily } from '../messages/chain-event.js'
import { nextPaymentDue } from '../policies/due-date.js'
import { policyDates, type PolicyDates } from '../policies/due-state.js'
import { isLive, isOfIncarnation, laterOf, isAtOrAfter, type Incarnation } from './incarnation.js'
import { readPolicyTerms, type PolicyTerms } from '../policies/policy-terms.js'

export interface PolicyState extends Incarnation {
  address: string
  /**
   * Of the latest Created, `regular` until there is one: a composable policy and a regular one never share an address.
   */
  family: PolicyFamily
  /** of the latest Created: what a composable policy pays in; null where its user payment says */
  tokenMint: string | null
  /** what the address is derived from, together with the policy's id: the same in every incarnation */
  userPayment: string | null
  policyId: number | null
  /** of the latest Created */
  gateway: string | null
  recipient: string | null
  trackingId: string | null
  /** what the memo says when it is no tracking ID; else null */
  memo: string | null
  policyType: string | null
  createdAt: bigint | null
  /** over the payments of the latest incarnation */
  paymentCount: bigint
  totalPaid: bigint
  /** PayAsYouGo alone: the period of the latest payment of this incarnation, Unix seconds, and what was paid in it */
  periodStart: bigint | null
  periodTotal: bigint | null
  /** the payment that began the period; null for the period that the policy was created with */
  periodOrder: ChainOrder | null
  /** of the latest payment and status change, whichever incarnation they belong to */
  lastPaymentOrder: ChainOrder | null
  lastPaidAt: bigint | null
  statusOrder: ChainOrder | null
  statusAt: bigint | null
  changedStatus: string | null
}

/** What is served and filtered by, and follows from the state alone. */
export interface PolicyOutcome extends PolicyDates {
  live: boolean
  status: string | null
  nextPaymentDue: bigint | null
  updatedAt: bigint | null
}

export const emptyPolicy = (address: string): PolicyState => ({
  address,
  family: 'regular',
  tokenMint: null,
  userPayment: null,
  policyId: null,
  incarnationStart: null,
  deletedOrder: null,
  gateway: null,
  recipient: null,
  trackingId: null,
  memo: null,
  policyType: null,
  createdAt: null,
  paymentCount: 0n,
  totalPaid: 0n,
  periodStart: null,
  periodTotal: null,
  periodOrder: null,
  lastPaymentOrder: null,
  lastPaidAt: null,
  statusOrder: null,
  statusAt: null,
  changedStatus: null,
})

const unixSeconds = (date: Date): bigint => BigInt(Math.floor(date.getTime() / 1000))

/**
 * What the policy is after its next event in chain order. A Created event begins an incarnation without payments. Payments
 * before the latest incarnation only move the latest payment.
 */
export function applyToPolicy(state: PolicyState, event: ChainEvent): PolicyState {
  const { order, effect } = event
  switch (effect.kind) {
    case 'policy-created':
      return {
        ...state,
        userPayment: effect.userPayment,
        policyId: effect.policyId,
        incarnationStart: order,
        family: effect.family,
        tokenMint: effect.tokenMint,
        gateway: effect.gateway,
        recipient: effect.recipient,
        trackingId: event.trackingId,
        memo: effect.memo,
        policyType: effect.policyType.text,
        createdAt: unixSeconds(event.occurredAt),
        paymentCount: 0n,
        totalPaid: 0n,
        ...periodAtCreation(effect.policyType.text),
      }
    case 'policy-deleted':
      return { ...state, deletedOrder: laterOf(state.deletedOrder, order) }
    case 'policy-status-changed':
      if (laterOf(state.statusOrder, order) !== order) return state
      return {
        ...state,
        statusOrder: order,
        statusAt: unixSeconds(event.occurredAt),
        changedStatus: effect.newStatus,
      }
    case 'payment': {
      const { amount, paidAt } = effect
      const isLatest = laterOf(state.lastPaymentOrder, order) === order
      const sums = sumsAfter(state, { order, amount, paidAt })
      // One copy: nine of ten events come here.
      return {
        ...state,
        paymentCount: sums.paymentCount,
        totalPaid: sums.totalPaid,
        periodStart: sums.periodStart,
        periodTotal: sums.periodTotal,
        periodOrder: sums.periodOrder,
        lastPaymentOrder: isLatest ? order : state.lastPaymentOrder,
        lastPaidAt: isLatest ? paidAt : state.lastPaidAt,
      }
    }
    default:
      return state
  }
}

/** What a payment adds to the sums of its policy. */
export interface SummedPayment {
  order: ChainOrder
  amount: bigint
  paidAt: bigint
}

type Sums = Pick<PolicyState, 'paymentCount' | 'totalPaid'> & Period

/** Adds the next payment in chain order to the sums, if it belongs to the latest incarnation. */
export const applyPayment = (state: PolicyState, payment: SummedPayment): PolicyState => ({
  ...state,
  ...sumsAfter(state, payment),
})

function sumsAfter(state: PolicyState, payment: SummedPayment): Sums {
  if (!isOfIncarnation(state.incarnationStart, payment.order)) return state
  const { periodStart, periodTotal, periodOrder } = periodAfter(state, payment)
  return {
    paymentCount: state.paymentCount + 1n,
    totalPaid: state.totalPaid + payment.amount,
    periodStart,
    periodTotal,
    periodOrder,
  }
}

/**
 * Whether an event can be applied to the state, whatever came before: it comes after everything that it could change, or
 * gives the same in any order. Payments that overtook each other add to the same sums where no incarnation and no period
 * begins between them, so two processes whose batches take turns need no recompute. All other events need one.
 */
export function isAppendable(state: PolicyState, { order, effect }: ChainEvent): boolean {
  const { incarnationStart, lastPaymentOrder } = state
  const isAfter = (known: ChainOrder | null) => known === null || known < order
  switch (effect.kind) {
    case 'policy-created':
      // The first Created event names the user payment of earlier payments too.
      if (state.userPayment === null && lastPaymentOrder !== null) return false
      return isAfter(incarnationStart) && !(lastPaymentOrder && isAtOrAfter(lastPaymentOrder, order))
    case 'payment':
      if (incarnationStart === null) return true
      if (!isOfIncarnation(incarnationStart, order)) return false
      return isAfter(lastPaymentOrder) || isOfLatestPeriod(state, { order, paidAt: effect.paidAt })
    default:
      return true
  }
}

/**
 * The sums after payments of the latest incarnation were added or taken back anywhere in it, by their difference.
 * @returns null when the difference does not show the period of a pay-as-you-go policy: a payment before the period, or
 *   one that begins a period, can move every later period
 */
export function withDifference(
  state: PolicyState,
  changes: readonly (SummedPayment & { sign: 1n | -1n })[],
): PolicyState | null {
  let { paymentCount, totalPaid, periodTotal } = state
  for (const { order, amount, paidAt, sign } of changes) {
    if (!isOfIncarnation(state.incarnationStart, order)) continue
    if (!isOfLatestPeriod(state, { order, paidAt })) return null
    paymentCount += sign
    totalPaid += sign * amount
    if (periodTotal !== null) periodTotal += sign * amount
  }
  return { ...state, paymentCount, totalPaid, periodTotal }
}

/** Whether a payment of the latest incarnation can come or go without moving a period. */
function isOfLatestPeriod(
  { policyType, periodStart, periodOrder }: PolicyState,
  { order, paidAt }: Pick<SummedPayment, 'order' | 'paidAt'>,
): boolean {
  if (policyType === null || periodStart === null || !isPayAsYouGo(policyType)) return true
  const terms = readPolicyTerms(policyType)
  if (terms.kind !== 'pay-as-you-go') return true
  return (periodOrder === null || order > periodOrder) && paidAt < periodStart + terms.periodLengthSeconds
}

type Period = Pick<PolicyState, 'periodStart' | 'periodTotal' | 'periodOrder'>
const NO_PERIOD: Period = { periodStart: null, periodTotal: null, periodOrder: null }

/** Read from the text alone: the terms of each policy of a batch would cost more than all else here. */
const isPayAsYouGo = (policyType: string | null): boolean => policyType?.startsWith('{"PayAsYouGo"') ?? false

/** The period of a policy without payments: the one that it was created with. */
export function periodAtCreation(policyType: string | null): Period {
  if (policyType === null || !isPayAsYouGo(policyType)) return NO_PERIOD
  const terms = readPolicyTerms(policyType)
  if (terms.kind !== 'pay-as-you-go') return NO_PERIOD
  return { periodStart: terms.periodStart, periodTotal: terms.periodTotal, periodOrder: null }
}

/** A payment at or after the end of the period begins a period at its own time. */
function periodAfter(state: PolicyState, { order, amount, paidAt }: SummedPayment): Period {
  const { policyType, periodStart, periodTotal, periodOrder } = state
  if (policyType === null || !isPayAsYouGo(policyType) || periodStart === null || periodTotal === null)
    return state
  const terms = readPolicyTerms(policyType)
  if (terms.kind !== 'pay-as-you-go') return state
  return paidAt >= periodStart + terms.periodLengthSeconds
    ? { periodStart: paidAt, periodTotal: amount, periodOrder: order }
    : { periodStart, periodTotal: periodTotal + amount, periodOrder }
}

/** The first letter small: `Active` is served as `active`. */
const camelCase = (variant: string): string => variant.charAt(0).toLowerCase() + variant.slice(1)

/**
 * Whether the terms leave nothing to pay: all renewals, all milestones or the one payment are paid. Without
 * automatic renewal the program ends a subscription that has an end after one payment; older programs went on, and
 * a second payment proves it.
 */
function isPaidUp(terms: PolicyTerms, paymentCount: bigint): boolean {
  if (terms.kind === 'subscription') {
    if (terms.maxRenewals === null) return false
    return paymentCount >= BigInt(terms.maxRenewals) || (!terms.autoRenew && paymentCount === 1n)
  }
  if (terms.kind === 'one-time' || terms.kind === 'up-to') return paymentCount >= 1n
  if (terms.kind === 'milestone')
    return BigInt(terms.currentMilestone) + paymentCount >= BigInt(terms.totalMilestones)
  return false
}

/** The due date of a subscription; other types have none. */
function dueDateOf(terms: PolicyTerms, lastPaidAt: bigint | null): bigint | null {
  if (terms.kind !== 'subscription') return null
  return nextPaymentDue({ createdDue: terms.nextPaymentDue, frequency: terms.frequency, lastPaidAt })
}

const latest = (...times: (bigint | null)[]): bigint | null =>
  times.reduce((a, b) => (a === null || (b !== null && b > a) ? b : a), null)

/** What follows from the state (contract: "How state follows from events"). */
export function policyOutcome(state: PolicyState): PolicyOutcome {
  if (state.incarnationStart === null || state.policyType === null) {
    return { live: false, status: null, nextPaymentDue: null, dueAt: null, endsAt: null, updatedAt: null }
  }
  const terms = readPolicyTerms(state.policyType)
  const lastPaymentOrder = isOfIncarnation(state.incarnationStart, state.lastPaymentOrder)
    ? state.lastPaymentOrder
    : null
  const lastPaidAt = lastPaymentOrder === null ? null : state.lastPaidAt
  const changed = isOfIncarnation(state.incarnationStart, state.statusOrder)
  const statusDecides =
    changed &&
    (lastPaymentOrder === null || (state.statusOrder !== null && state.statusOrder > lastPaymentOrder))
  const followed = isPaidUp(terms, state.paymentCount) ? 'completed' : 'active'
  const due = dueDateOf(terms, lastPaidAt)
  return {
    live: isLive(state),
    status: statusDecides && state.changedStatus !== null ? camelCase(state.changedStatus) : followed,
    nextPaymentDue: due,
    ...policyDates(terms, {
      nextPaymentDue: due,
      createdAt: state.createdAt,
      paymentCount: state.paymentCount,
    }),
    updatedAt: latest(state.createdAt, lastPaidAt, changed ? state.statusAt : null),
  }
}
