// A policy as it follows from its events. Registers (the latest Created, Deleted, payment and status change)
// do not depend on the order of arrival. The sums over the current incarnation do: they are kept while the incarnation
// lasts. After a Created that begins a new incarnation, the caller must count that incarnation's payments anew.
import type { ChainEvent, ChainOrder, PolicyFamily } from './chain-event.js'
import { nextPaymentDue } from './due-date.js'
import { isLive, isOfIncarnation, laterOf, type Incarnation } from './incarnation.js'
import { readPolicyTerms, type PolicyTerms } from './policy-terms.js'

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
  policyType: string | null
  createdAt: bigint | null
  /** over the payments of the latest incarnation */
  paymentCount: bigint
  totalPaid: bigint
  /**
   * PayAsYouGo alone: the period of the latest payment of this incarnation, Unix seconds, and what was paid in it. It is
   * told in chain order: `applyToPolicy` needs payments in that order, and a late one needs a count anew.
   */
  periodStart: bigint | null
  periodTotal: bigint | null
  /** of the latest payment and status change, whichever incarnation they belong to */
  lastPaymentOrder: ChainOrder | null
  lastPaidAt: bigint | null
  statusOrder: ChainOrder | null
  statusAt: bigint | null
  changedStatus: string | null
}

/** What is served and filtered by, and follows from the state alone. */
export interface PolicyOutcome {
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
  policyType: null,
  createdAt: null,
  paymentCount: 0n,
  totalPaid: 0n,
  periodStart: null,
  periodTotal: null,
  lastPaymentOrder: null,
  lastPaidAt: null,
  statusOrder: null,
  statusAt: null,
  changedStatus: null,
})

const unixSeconds = (date: Date): bigint => BigInt(Math.floor(date.getTime() / 1000))

/**
 * What the policy is after one more event. A payment moves the last-payment register and, when it belongs to
 * the current incarnation, the sums; so a batch applies its Created events before its payments, and payments in chain
 * order.
 */
export function applyToPolicy(state: PolicyState, event: ChainEvent): PolicyState {
  const { order, effect } = event
  switch (effect.kind) {
    case 'policy-created': {
      const known = { ...state, userPayment: effect.userPayment, policyId: effect.policyId }
      if (laterOf(state.incarnationStart, order) !== order) return known
      return {
        ...known,
        incarnationStart: order,
        family: effect.family,
        tokenMint: effect.tokenMint,
        gateway: effect.gateway,
        recipient: effect.recipient,
        trackingId: event.trackingId,
        policyType: effect.policyType.text,
        createdAt: unixSeconds(event.occurredAt),
        ...periodAtCreation(effect.policyType.text),
      }
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
      const counted = isOfIncarnation(state.incarnationStart, order)
        ? {
            ...state,
            ...periodAfter(state, effect),
            paymentCount: state.paymentCount + 1n,
            totalPaid: state.totalPaid + effect.amount,
          }
        : state
      if (laterOf(state.lastPaymentOrder, order) !== order) return counted
      return { ...counted, lastPaymentOrder: order, lastPaidAt: effect.paidAt }
    }
    default:
      return state
  }
}

type Period = Pick<PolicyState, 'periodStart' | 'periodTotal'>

/** Read from the text alone: the terms of each policy of a batch would cost more than all else here. */
const isPayAsYouGo = (policyType: string | null): boolean => policyType?.startsWith('{"PayAsYouGo"') ?? false

/** Whether what is told of the policy depends on the order in which its payments are applied. */
export const dependsOnPaymentOrder = ({ policyType }: Pick<PolicyState, 'policyType'>): boolean =>
  isPayAsYouGo(policyType)

/** The period of a policy without payments: the one that it was created with. */
export function periodAtCreation(policyType: string | null): Period {
  if (policyType === null || !isPayAsYouGo(policyType)) return { periodStart: null, periodTotal: null }
  const terms = readPolicyTerms(policyType)
  if (terms.kind !== 'pay-as-you-go') return { periodStart: null, periodTotal: null }
  return { periodStart: terms.periodStart, periodTotal: terms.periodTotal }
}

/** A payment at or after the end of the period begins a period at its own time. */
export function periodAfter(
  state: Period & Pick<PolicyState, 'policyType'>,
  payment: { amount: bigint; paidAt: bigint },
): Period {
  const { policyType, periodStart, periodTotal } = state
  if (policyType === null || !isPayAsYouGo(policyType) || periodStart === null || periodTotal === null)
    return { periodStart, periodTotal }
  const terms = readPolicyTerms(policyType)
  if (terms.kind !== 'pay-as-you-go') return { periodStart, periodTotal }
  return payment.paidAt >= periodStart + terms.periodLengthSeconds
    ? { periodStart: payment.paidAt, periodTotal: payment.amount }
    : { periodStart, periodTotal: periodTotal + payment.amount }
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
    return { live: false, status: null, nextPaymentDue: null, updatedAt: null }
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
  return {
    live: isLive(state),
    status: statusDecides && state.changedStatus !== null ? camelCase(state.changedStatus) : followed,
    nextPaymentDue: dueDateOf(terms, lastPaidAt),
    updatedAt: latest(state.createdAt, lastPaidAt, changed ? state.statusAt : null),
  }
}
