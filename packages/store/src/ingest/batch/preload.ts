// The stored states of the addresses that a batch names.
import { emptyUserPayment, type ChainEvent } from '@payment-tracking/domain'
import type { Tx } from '../../core/database/sql.js'
import { gatewayOf, policyOf, userPaymentOf } from '../../core/tables/addresses.js'
import { readGateways } from '../../core/tables/gateways.js'
import { readPolicies } from '../../core/tables/policies.js'
import { readUserPayments } from '../../core/tables/user-payments.js'

const keysOf = (events: readonly ChainEvent[], keyOf: (event: ChainEvent) => string | null): string[] => [
  ...new Set(events.map(keyOf).filter(key => key !== null)),
]

const linkedUserPaymentOf = ({ effect }: ChainEvent): string | null =>
  effect.kind === 'policy-created' ? effect.userPayment : null

/**
 * The states before a batch: of the addresses in its events, and of the user payments of its policies. A user payment of
 * which nothing is stored is empty, so that nobody asks for it again. One round trip.
 */
export async function preloadStates(tx: Tx, events: readonly ChainEvent[]) {
  const policyKeys = keysOf(events, policyOf)
  const named = [...keysOf(events, userPaymentOf), ...keysOf(events, linkedUserPaymentOf)]
  const [gateways, policies, read] = await Promise.all([
    readGateways(tx, keysOf(events, gatewayOf)),
    readPolicies(tx, policyKeys),
    readUserPayments(tx, named, policyKeys),
  ])
  const linked = policies.map(({ state }) => state.userPayment).filter(address => address !== null)
  const stored = new Map(read.map(account => [account.address, account]))
  const userPayments = [...new Set([...named, ...linked])].map(
    address => stored.get(address) ?? emptyUserPayment(address),
  )
  return { gateways, policies, userPayments }
}

export type Preloaded = Awaited<ReturnType<typeof preloadStates>>
