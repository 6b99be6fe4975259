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
