// The details of a payment that its own event may lack. Each is stored on the payment's row when it becomes known.
import type { Effect } from '../messages/chain-event.js'

export type PaymentEffect = Extract<Effect, { kind: 'payment' }>

/** What is known of a payment beyond its amount; null is not known. */
export interface PaymentDetails {
  recipient: string | null
  payer: string | null
  tokenMint: string | null
}

/** The rows that supply what a payment's event lacks. */
export interface DetailSources {
  /** the incarnation of the policy at the payment's position; null while no Created event at or before it is known */
  incarnation: { recipient: string | null; tokenMint: string | null } | null
  /** the policy's latest incarnation */
  policy: { tokenMint: string | null } | null
  /** the user payment of the policy */
  account: { owner: string | null; tokenMint: string | null } | null
}

/** The payment's own fields win. */
export const paymentDetails = (
  own: Pick<PaymentEffect, 'recipient' | 'payer' | 'tokenMint'>,
  { incarnation, policy, account }: DetailSources,
): PaymentDetails => ({
  recipient: own.recipient ?? incarnation?.recipient ?? null,
  payer: own.payer ?? account?.owner ?? null,
  tokenMint: own.tokenMint ?? (incarnation ?? policy)?.tokenMint ?? account?.tokenMint ?? null,
})
