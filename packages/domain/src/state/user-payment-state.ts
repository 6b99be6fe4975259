import type { ChainEvent } from '../messages/chain-event.js'
import { laterOf, type Incarnation } from './incarnation.js'

export interface UserPaymentState extends Incarnation {
  address: string
  /** Owner and mint are what the address is derived from: they are the same in every incarnation. */
  owner: string | null
  tokenMint: string | null
  /** the token account that pays, of the newest incarnation */
  tokenAccount: string | null
}

export const emptyUserPayment = (address: string): UserPaymentState => ({
  address,
  owner: null,
  tokenMint: null,
  tokenAccount: null,
  incarnationStart: null,
  deletedOrder: null,
})

/** What the user payment is after one more event; the order of events does not matter. */
export function applyToUserPayment(state: UserPaymentState, { order, effect }: ChainEvent): UserPaymentState {
  switch (effect.kind) {
    case 'user-payment-created':
      return {
        ...state,
        owner: effect.owner,
        tokenMint: effect.tokenMint,
        tokenAccount:
          laterOf(state.incarnationStart, order) === order ? effect.tokenAccount : state.tokenAccount,
        incarnationStart: laterOf(state.incarnationStart, order),
      }
    case 'user-payment-deleted':
      return { ...state, deletedOrder: laterOf(state.deletedOrder, order) }
    default:
      return state
  }
}
