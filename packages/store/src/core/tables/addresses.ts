// The addresses whose states an event changes.
import { DIRECT_TRANSFER_POLICY, type ChainEvent } from '@payment-tracking/domain'

/** The policy of an event; a direct transfer belongs to none. */
export const policyOf = ({ effect }: ChainEvent): string | null =>
  'policy' in effect && effect.policy !== DIRECT_TRANSFER_POLICY ? effect.policy : null

export function gatewayOf({ effect }: ChainEvent): string | null {
  const { kind } = effect
  return kind === 'gateway-created' || kind === 'gateway-deleted' || kind === 'gateway-signer-changed'
    ? effect.gateway
    : null
}

export function userPaymentOf({ effect }: ChainEvent): string | null {
  const { kind } = effect
  return kind === 'user-payment-created' || kind === 'user-payment-deleted' ? effect.userPayment : null
}

/**
 * Applies events to the states of the addresses that they name. The order of the events does not matter to these states.
 * @param stored states before the events
 * @returns by address
 */
export function applyAll<S extends { address: string }>(
  stored: readonly S[],
  events: readonly ChainEvent[],
  addressOf: (event: ChainEvent) => string | null,
  empty: (address: string) => S,
  apply: (state: S, event: ChainEvent) => S,
): Map<string, S> {
  const states = new Map(stored.map(state => [state.address, state]))
  for (const event of events) {
    const address = addressOf(event)
    if (address !== null) states.set(address, apply(states.get(address) ?? empty(address), event))
  }
  return states
}
