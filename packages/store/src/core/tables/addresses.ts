// The addresses whose states an event changes.
import { DIRECT_TRANSFER_POLICY, type ChainEvent } from '@payment-tracking/domain'

/** The policy of an event; a direct transfer belongs to none. */
export const policyOf = ({ effect }: ChainEvent): string | null =>
  'policy' in effect && effect.policy !== DIRECT_TRANSFER_POLICY ? effect.policy : null

/** Names every kind: one that is new does not compile until it is decided here whose state it changes. */
export function gatewayOf({ effect }: ChainEvent): string | null {
  switch (effect.kind) {
    case 'gateway-created':
    case 'gateway-deleted':
    case 'gateway-signer-changed':
      return effect.gateway
    case 'payment':
    case 'policy-created':
    case 'policy-status-changed':
    case 'policy-deleted':
    case 'user-payment-created':
    case 'user-payment-deleted':
    case 'none':
      return null
  }
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
