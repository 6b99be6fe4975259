// Projections: what newly stored events change, as sets. Read the rows they touch, reduce in memory by the
// domain's rules, write the rows back. Runs under the writer lock, so nobody else changes these rows.
import {
  applyToGateway,
  applyToPolicy,
  applyToUserPayment,
  countByName,
  emptyGateway,
  emptyPolicy,
  emptyUserPayment,
  sumPayments,
  type ChainEvent,
  type CountedPayment,
  type GatewayState,
  type PolicyState,
  type UserPaymentState,
} from '@payment-tracking/domain'
import type { Tx } from '../store.js'
import { addCounts, addPaymentStats, addTokenStats, moveToKnownMint, readPoliciesOf } from './aggregates.js'
import { readGateways, writeGateways } from './gateways.js'
import { countLifePayments, readPolicies, writePolicies } from './policies.js'
import { readUserPayments, writeUserPayments } from './user-payments.js'

/** The states after a batch, of every address the batch touched. */
export interface Projected {
  policies: ReadonlyMap<string, PolicyState>
  userPayments: ReadonlyMap<string, UserPaymentState>
}

/** Reduces `events` over the states of the addresses they name. */
function reduce<S extends { address: string }>(
  known: readonly S[],
  events: readonly ChainEvent[],
  addressOf: (event: ChainEvent) => string | null,
  empty: (address: string) => S,
  apply: (state: S, event: ChainEvent) => S,
): Map<string, S> {
  const states = new Map(known.map(state => [state.address, state]))
  for (const event of events) {
    const address = addressOf(event)
    if (address !== null) states.set(address, apply(states.get(address) ?? empty(address), event))
  }
  return states
}

const policyOf = ({ effect }: ChainEvent): string | null => ('policy' in effect ? effect.policy : null)
const isPayment = ({ effect }: ChainEvent): boolean => effect.kind === 'payment'

function gatewayOf({ effect }: ChainEvent): string | null {
  const { kind } = effect
  return kind === 'gateway-created' || kind === 'gateway-deleted' || kind === 'gateway-signer-changed'
    ? effect.gateway
    : null
}

function userPaymentOf({ effect }: ChainEvent): string | null {
  const { kind } = effect
  return kind === 'user-payment-created' || kind === 'user-payment-deleted' ? effect.userPayment : null
}

const keysOf = (events: readonly ChainEvent[], keyOf: (event: ChainEvent) => string | null): string[] => [
  ...new Set(events.map(keyOf).filter(key => key !== null)),
]

/**
 * Applies events that are stored and were never projected.
 * @param before the last position whose events are projected already
 * @param upTo the last position of this batch
 */
export async function project(
  tx: Tx,
  events: readonly ChainEvent[],
  before: bigint,
  upTo: bigint,
): Promise<Projected> {
  const gateways = await projectGateways(tx, events)
  await writeGateways(tx, [...gateways.values()])

  const knownPolicies = await readPolicies(tx, keysOf(events, policyOf))
  const policies = await projectPolicies(tx, events, knownPolicies, upTo)
  await writePolicies(tx, [...policies.values()])

  const linked = [...policies.values()].map(policy => policy.userPayment).filter(address => address !== null)
  const touched = keysOf(events, userPaymentOf)
  const knownUserPayments = await readUserPayments(tx, [...new Set([...touched, ...linked])])
  const userPayments = reduce(knownUserPayments, events, userPaymentOf, emptyUserPayment, applyToUserPayment)
  await writeUserPayments(
    tx,
    touched.map(address => userPayments.get(address)!),
  )

  await projectAggregates(tx, events, { policies, userPayments })
  await moveToKnownMint(
    tx,
    await findNewMints(tx, { policies, userPayments }, knownPolicies, knownUserPayments),
    before,
  )
  return { policies, userPayments }
}

async function projectGateways(tx: Tx, events: readonly ChainEvent[]): Promise<Map<string, GatewayState>> {
  const known = await readGateways(tx, keysOf(events, gatewayOf))
  return reduce(known, events, gatewayOf, emptyGateway, applyToGateway)
}

/** Created events first, so that payments are counted into the right life; lives that began are counted anew. */
async function projectPolicies(
  tx: Tx,
  events: readonly ChainEvent[],
  known: readonly PolicyState[],
  upTo: bigint,
): Promise<Map<string, PolicyState>> {
  const others = events.filter(event => !isPayment(event))
  const begun = reduce(known, others, policyOf, emptyPolicy, applyToPolicy)
  const policies = reduce([...begun.values()], events.filter(isPayment), policyOf, emptyPolicy, applyToPolicy)

  const newLives = new Map<string, string>()
  for (const { address, lifeStart } of known) {
    const after = policies.get(address)!
    if (after.lifeStart !== null && after.lifeStart !== lifeStart) newLives.set(address, after.lifeStart)
  }
  const counted = await countLifePayments(tx, newLives, upTo)
  for (const address of newLives.keys()) {
    policies.set(address, {
      ...policies.get(address)!,
      ...(counted.get(address) ?? { paymentCount: 0n, totalPaid: 0n }),
    })
  }
  return policies
}

/** The mint of a payment: its own, or that of its policy's user payment; null while neither is known. */
export function mintOf(
  { policies, userPayments }: Projected,
  effect: Extract<ChainEvent['effect'], { kind: 'payment' }>,
): string | null {
  if (effect.tokenMint !== null) return effect.tokenMint
  const userPayment = policies.get(effect.policy)?.userPayment
  return (userPayment && userPayments.get(userPayment)?.tokenMint) ?? null
}

async function projectAggregates(tx: Tx, events: readonly ChainEvent[], projected: Projected): Promise<void> {
  const payments: CountedPayment[] = []
  for (const { effect, occurredAt } of events) {
    if (effect.kind !== 'payment') continue
    payments.push({
      gateway: effect.gateway,
      amount: effect.amount,
      tokenMint: mintOf(projected, effect),
      occurredAt,
    })
  }
  const { stats, tokens } = sumPayments(payments)
  await addCounts(tx, countByName(events))
  await addPaymentStats(tx, stats)
  await addTokenStats(tx, tokens)
}

/**
 * Policies that were stored before and whose mint this batch made known: by linking the policy to its user
 * payment, or by telling the user payment's mint.
 */
async function findNewMints(
  tx: Tx,
  after: Projected,
  policiesBefore: readonly PolicyState[],
  userPaymentsBefore: readonly UserPaymentState[],
): Promise<Map<string, string>> {
  const mintBefore = new Map(userPaymentsBefore.map(state => [state.address, state.tokenMint]))
  const mints = new Map<string, string>()
  for (const { address, userPayment: linkedBefore } of policiesBefore) {
    const userPayment = after.policies.get(address)?.userPayment
    const mint = userPayment && after.userPayments.get(userPayment)?.tokenMint
    if (mint && (linkedBefore === null || !mintBefore.get(linkedBefore))) mints.set(address, mint)
  }
  const told = [...after.userPayments.values()].filter(
    state => state.tokenMint && !mintBefore.get(state.address),
  )
  for (const { address, userPayment } of await readPoliciesOf(
    tx,
    told.map(state => state.address),
  )) {
    mints.set(address, after.userPayments.get(userPayment)!.tokenMint!)
  }
  return mints
}
