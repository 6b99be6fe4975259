// Folds the new events of a batch into the states of the addresses that they name, in memory. An event that `isAppendable` is
// appended; a policy with another event is named, and is recomputed afterwards.
import {
  applyToGateway,
  applyToPolicy,
  applyToUserPayment,
  emptyGateway,
  emptyPolicy,
  emptyUserPayment,
  isAppendable,
  isOfIncarnation,
  paymentDetails,
  policyOutcome,
  type ChainEvent,
  type GatewayState,
  type PaymentDetails,
  type PolicyState,
  type UserPaymentState,
} from '@payment-tracking/domain'
import { applyAll, gatewayOf, policyOf, userPaymentOf } from '../../core/tables/addresses.js'
import type { NewEvent } from './batch.js'
import type { Preloaded } from './preload.js'
import type { FoldedPolicy, StoredPolicy } from '../../core/tables/policies.js'
import { inFoldOrder } from '../recompute/read-latest-events.js'

/** A new event with what its address knows of it. */
export interface FoldedEvent extends NewEvent {
  /** null for an event that is no payment */
  details: PaymentDetails | null
  /** the payment's tracking ID is that of its policy, which is not known at the payment's chain position */
  awaitsPolicy: boolean
}

export interface Folded {
  /** in the order of arrival */
  events: FoldedEvent[]
  policies: FoldedPolicy[]
  userPayments: Map<string, UserPaymentState>
  gateways: Map<string, GatewayState>
  /** policies with an event that cannot be appended */
  recompute: Set<string>
  /** payments whose incarnation the batch's states do not know, by id */
  undecided: Set<string>
}

/**
 * @param fresh new events in the order of arrival
 * @param preloaded the stored states of all addresses that the events name, or of more
 * @param unready policies that are recomputed in any case: their work is not done yet
 */
export function foldBatch(
  fresh: readonly NewEvent[],
  preloaded: Preloaded,
  unready: ReadonlySet<string>,
): Folded {
  const valid = fresh.filter(({ retracted }) => !retracted).map(({ event }) => event)
  const gateways = applyAll(preloaded.gateways, valid, gatewayOf, emptyGateway, applyToGateway)
  const accounts = preloaded.userPayments
  const userPayments = applyAll(accounts, valid, userPaymentOf, emptyUserPayment, applyToUserPayment)
  const before = new Map(preloaded.policies.map(policy => [policy.state.address, policy]))
  const recompute = findToRecompute(fresh, before, unready)
  const { states, incarnations } = appendToPolicies(fresh, before, recompute)
  const undecided = new Set<string>()
  const events = fresh.map((each): FoldedEvent => {
    const { event } = each
    const { effect } = event
    if (effect.kind !== 'payment') return { ...each, details: null, awaitsPolicy: false }
    const stored = before.get(effect.policy)?.state ?? null
    const policy = states.get(effect.policy) ?? stored
    const incarnation = incarnations.get(event.id) ?? null
    const mayBeOfAnother =
      recompute.has(effect.policy) || (stored?.incarnationStart ?? null) !== null || effect.tracksPolicy
    if (incarnation === null && mayBeOfAnother) undecided.add(event.id)
    const account = policy?.userPayment ? (userPayments.get(policy.userPayment) ?? null) : null
    const details = paymentDetails(effect, { incarnation, policy, account })
    if (!effect.tracksPolicy) return { ...each, details, awaitsPolicy: false }
    const tracked = { ...event, trackingId: incarnation?.trackingId ?? null }
    return { ...each, event: tracked, details, awaitsPolicy: incarnation === null }
  })
  const policies = collectPolicies(valid, before, states)
  return { events, policies, userPayments, gateways, recompute, undecided }
}

/**
 * Events of one batch are sorted before they are applied, so each is compared with what is stored alone. The row of a policy
 * that is not ready does not say where a payment belongs, not even a retracted one.
 */
function findToRecompute(
  fresh: readonly NewEvent[],
  before: ReadonlyMap<string, StoredPolicy>,
  unready: ReadonlySet<string>,
): Set<string> {
  const recompute = new Set<string>()
  for (const { event, retracted } of fresh) {
    const policy = policyOf(event)
    if (policy === null) continue
    const stored = before.get(policy)
    const isAppended = retracted || stored === undefined || isAppendable(stored.state, event)
    if (unready.has(policy) || !isAppended) recompute.add(policy)
  }
  return recompute
}

/**
 * @returns the new states of the policies that are not recomputed, and the incarnation of each payment that belongs to the
 *   incarnation of its policy at the payment's turn
 */
function appendToPolicies(
  fresh: readonly NewEvent[],
  before: ReadonlyMap<string, StoredPolicy>,
  recompute: ReadonlySet<string>,
): { states: Map<string, PolicyState>; incarnations: Map<string, PolicyState> } {
  const states = new Map<string, PolicyState>()
  const incarnations = new Map<string, PolicyState>()
  for (const { event, retracted } of inFoldOrder(fresh)) {
    const policy = policyOf(event)
    if (policy === null || recompute.has(policy)) continue
    const state = states.get(policy) ?? before.get(policy)?.state ?? emptyPolicy(policy)
    if (!retracted) states.set(policy, applyToPolicy(state, event))
    if (event.effect.kind === 'payment' && isOfIncarnation(state.incarnationStart, event.order))
      incarnations.set(event.id, state)
  }
  return { states, incarnations }
}

function collectPolicies(
  valid: readonly ChainEvent[],
  before: ReadonlyMap<string, StoredPolicy>,
  states: ReadonlyMap<string, PolicyState>,
): FoldedPolicy[] {
  const folded = new Map<string, FoldedPolicy>()
  for (const event of valid) {
    const address = policyOf(event)
    const after = address === null ? undefined : states.get(address)
    if (address === null || after === undefined) continue
    const found = folded.get(address)
    if (found) found.events.push(event)
    else {
      const outcome = policyOutcome(after)
      folded.set(address, { before: before.get(address), after, outcome, events: [event] })
    }
  }
  return [...folded.values()]
}
