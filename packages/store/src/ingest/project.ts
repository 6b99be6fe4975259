// Projects newly stored events, as sets: reads the affected rows, reduces them in memory by the domain's rules, and
// writes the rows back. Runs under the writer lock, so no other transaction changes these rows.
import {
  applyToGateway,
  applyToPolicy,
  applyToUserPayment,
  countByName,
  dependsOnPaymentOrder,
  DIRECT_TRANSFER_POLICY,
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
import type { Tx } from '../database/sql.js'
import type { PipelinedTx } from '../database/pipelined-transactions.js'
import { addCounts, addPaymentStats, addTokenStats, moveToKnownMint, readPoliciesOf } from './aggregates.js'
import { readGateways, writeGateways } from './gateways.js'
import { countIncarnationPayments } from './count-payments.js'
import { readPolicies, writePaidPolicies, writePolicies } from './policies.js'
import { readUserPayments, writeUserPayments } from './user-payments.js'

/** The states after a batch, for every address that the batch touched. */
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

/** A direct transfer belongs to no policy. */
const policyOf = ({ effect }: ChainEvent): string | null =>
  'policy' in effect && effect.policy !== DIRECT_TRANSFER_POLICY ? effect.policy : null
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

const linkedUserPaymentOf = ({ effect }: ChainEvent): string | null =>
  effect.kind === 'policy-created' ? effect.userPayment : null

const keysOf = (events: readonly ChainEvent[], keyOf: (event: ChainEvent) => string | null): string[] => [
  ...new Set(events.map(keyOf).filter(key => key !== null)),
]

const statesOf = <S>(states: ReadonlyMap<string, S>, addresses: readonly string[]): S[] =>
  addresses.map(address => states.get(address)!)

/** The states before a batch: of the addresses in its events, and of the user payments of its policies. */
export interface Known {
  gateways: readonly GatewayState[]
  policies: readonly PolicyState[]
  userPayments: readonly UserPaymentState[]
}

export async function readKnown(tx: Tx, events: readonly ChainEvent[]): Promise<Known> {
  const [gateways, policies] = await Promise.all([
    readGateways(tx, keysOf(events, gatewayOf)),
    readPolicies(tx, keysOf(events, policyOf)),
  ])
  const linked = policies.map(policy => policy.userPayment).filter(address => address !== null)
  const named = [...keysOf(events, userPaymentOf), ...keysOf(events, linkedUserPaymentOf)]
  return {
    gateways,
    policies,
    userPayments: await readUserPayments(tx, [...new Set([...named, ...linked])]),
  }
}

/** The positions of a batch: after the first and up to the second. */
interface Positions {
  before: bigint
  upTo: bigint
}

/**
 * Applies events that were never projected, and that are stored or already sent. Sends the changes, and waits for
 * Postgres only when an incarnation begins or a mint becomes known.
 * @param known the result of `readKnown` for at least these events
 */
export async function project(
  tx: PipelinedTx,
  events: readonly ChainEvent[],
  known: Known,
  { before, upTo }: Positions,
): Promise<Projected> {
  const gateways = reduce(known.gateways, events, gatewayOf, emptyGateway, applyToGateway)
  writeGateways(tx, statesOf(gateways, keysOf(events, gatewayOf)))
  const policies = await projectPolicies(tx, events, known.policies, upTo)
  const justPaid = addressesJustPaid(events, known.policies)
  writePaidPolicies(tx, statesOf(policies, [...justPaid]))
  writePolicies(
    tx,
    statesOf(
      policies,
      keysOf(events, policyOf).filter(address => !justPaid.has(address)),
    ),
  )
  const userPayments = reduce(known.userPayments, events, userPaymentOf, emptyUserPayment, applyToUserPayment)
  writeUserPayments(tx, statesOf(userPayments, keysOf(events, userPaymentOf)))
  projectAggregates(tx, events, { policies, userPayments })
  await moveToKnownMint(tx, await findNewMints(tx, { policies, userPayments }, known), { before, upTo })
  return { policies, userPayments }
}

/** Stored policies to which only payments happen. */
function addressesJustPaid(events: readonly ChainEvent[], known: readonly PolicyState[]): Set<string> {
  const touched = new Set(keysOf(events, policyOf))
  for (const event of events) if (!isPayment(event)) touched.delete(policyOf(event) ?? '')
  return new Set(known.map(({ address }) => address).filter(address => touched.has(address)))
}

/**
 * Applies Created events first, so that payments count in the right incarnation, and payments in chain order. Counts
 * again the incarnations that began, and the policies for which the order of payments matters and a payment came late.
 */
async function projectPolicies(
  tx: Tx,
  events: readonly ChainEvent[],
  known: readonly PolicyState[],
  upTo: bigint,
): Promise<Map<string, PolicyState>> {
  const others = events.filter(event => !isPayment(event))
  const begun = reduce(known, others, policyOf, emptyPolicy, applyToPolicy)
  const payments = inChainOrder(events.filter(isPayment))
  const policies = reduce([...begun.values()], payments, policyOf, emptyPolicy, applyToPolicy)

  const byPolicy = known.some(dependsOnPaymentOrder) ? payments.toReversed() : []
  const first = new Map(byPolicy.map(event => [policyOf(event), event.order]))
  const uncounted: PolicyState[] = []
  for (const { address, incarnationStart, lastPaymentOrder, periodStart } of known) {
    const after = policies.get(address)!
    if (after.incarnationStart === null) continue
    const isNewIncarnation = after.incarnationStart !== incarnationStart
    const order = first.get(address)
    const isLate =
      order !== undefined &&
      dependsOnPaymentOrder(after) &&
      (periodStart === null || (lastPaymentOrder !== null && order < lastPaymentOrder))
    if (isNewIncarnation || isLate) uncounted.push(after)
  }
  for (const policy of await countIncarnationPayments(tx, uncounted, upTo))
    policies.set(policy.address, policy)
  return policies
}

/** Most batches come in chain order. */
function inChainOrder(events: readonly ChainEvent[]): readonly ChainEvent[] {
  const isSorted = events.every((event, at) => at === 0 || events[at - 1]!.order <= event.order)
  return isSorted ? events : [...events].sort((a, b) => (a.order < b.order ? -1 : 1))
}

/** The mint of a policy's payments: the policy's own mint, or its user payment's mint; null while both are unknown. */
const mintOfPolicy = (
  policy: PolicyState | undefined,
  userPayments: ReadonlyMap<string, UserPaymentState>,
): string | null =>
  policy?.tokenMint ?? (policy?.userPayment && userPayments.get(policy.userPayment)?.tokenMint) ?? null

/** The mint of a payment: the payment's own mint, or its policy's mint; null while both are unknown. */
export function mintOf(
  { policies, userPayments }: Projected,
  effect: Extract<ChainEvent['effect'], { kind: 'payment' }>,
): string | null {
  return effect.tokenMint ?? mintOfPolicy(policies.get(effect.policy), userPayments)
}

function projectAggregates(tx: PipelinedTx, events: readonly ChainEvent[], projected: Projected): void {
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
  addCounts(tx, countByName(events))
  addPaymentStats(tx, stats)
  addTokenStats(tx, tokens)
}

/**
 * Policies from earlier batches whose mint this batch made known, by linking the policy to its user payment or by
 * naming the user payment's mint.
 */
async function findNewMints(tx: Tx, after: Projected, known: Known): Promise<Map<string, string>> {
  const before = new Map(known.userPayments.map(state => [state.address, state]))
  const mints = new Map<string, string>()
  for (const policy of known.policies) {
    const mint = mintOfPolicy(after.policies.get(policy.address), after.userPayments)
    if (mint !== null && mintOfPolicy(policy, before) === null) mints.set(policy.address, mint)
  }
  const told = [...after.userPayments.values()].filter(
    state => state.tokenMint && !before.get(state.address)?.tokenMint,
  )
  for (const { address, userPayment } of await readPoliciesOf(
    tx,
    told.map(state => state.address),
  )) {
    mints.set(address, after.userPayments.get(userPayment)!.tokenMint!)
  }
  return mints
}
