import type { ChainEvent } from '../messages/chain-event.js'
import { isLive, isOfIncarnation, laterOf, type Incarnation } from './incarnation.js'

export interface GatewayState extends Incarnation {
  address: string
  authority: string | null
  /** of the latest GatewaySignerChanged, whichever incarnation it belongs to */
  signer: string | null
  signerOrder: string | null
}

export const emptyGateway = (address: string): GatewayState => ({
  address,
  authority: null,
  incarnationStart: null,
  deletedOrder: null,
  signer: null,
  signerOrder: null,
})

/** What the gateway is after one more event; the order of events does not matter. */
export function applyToGateway(state: GatewayState, { order, effect }: ChainEvent): GatewayState {
  switch (effect.kind) {
    case 'gateway-created':
      return {
        ...state,
        authority: effect.authority,
        incarnationStart: laterOf(state.incarnationStart, order),
      }
    case 'gateway-deleted':
      return { ...state, deletedOrder: laterOf(state.deletedOrder, order) }
    case 'gateway-signer-changed':
      return laterOf(state.signerOrder, order) === order
        ? { ...state, signer: effect.signer, signerOrder: order }
        : state
    default:
      return state
  }
}

/**
 * Since when a wallet may sign for a gateway without a break: the chain order of what made it so; null when it may not. A
 * signer that was replaced and comes back has another answer, so what it made before stays ended.
 */
export function signerSince(state: GatewayState, wallet: string): string | null {
  const signers = signersOf(state)
  if (wallet === signers?.authority) return state.incarnationStart
  return wallet === signers?.signer ? state.signerOrder : null
}

/** Who may sign for a gateway: its authority and its current signer; null when the gateway does not exist. */
export function signersOf(state: GatewayState): { authority: string; signer: string } | null {
  if (!isLive(state) || state.authority === null) return null
  const changed = isOfIncarnation(state.incarnationStart, state.signerOrder) ? state.signer : null
  return { authority: state.authority, signer: changed ?? state.authority }
}
