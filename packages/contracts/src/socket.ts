import { Type, type Static } from 'typebox'
import type { PaymentFacts } from './payment-notification.js'

/** The Socket.IO path, on the same base URL as REST. */
export const SOCKET_PATH = '/ws/v1'

const Nullable = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) =>
  Type.Union([schema, Type.Null()])

/** `data` of the `payment` event, and one item of a replay. */
export const SocketPayment = Type.Object({
  trackingId: Type.String(),
  amount: Type.Number({ description: 'the nearest double; `amountString` is exact' }),
  amountString: Type.String(),
  timestamp: Type.Number({ description: 'Unix seconds' }),
  status: Type.Literal('executed'),
  signature: Type.String(),
  slot: Type.Integer(),
  gateway: Type.String(),
  paymentPolicy: Type.String(),
  recipient: Nullable(Type.String()),
  payer: Nullable(Type.String()),
  tokenMint: Nullable(Type.String()),
  recordId: Type.Integer(),
  eventId: Type.String(),
  seq: Type.Integer({ minimum: 1 }),
})
export type SocketPayment = Static<typeof SocketPayment>

/** The `payment` event as it is emitted; `timestamp` is the time of sending, in milliseconds. */
export interface PaymentMessage {
  type: 'payment_notification'
  data: SocketPayment
  timestamp: number
}

/** The room of a tracking ID. The prefix keeps it apart from socket ids, whatever the tracking ID is. */
export const roomOf = (trackingId: string): string => `payments:${trackingId}`

/**
 * @returns null for a payment without tracking ID: nobody can have subscribed to it
 */
export function toSocketPayment(facts: PaymentFacts): SocketPayment | null {
  if (facts.trackingId === null || facts.seq === null) return null
  return {
    trackingId: facts.trackingId,
    amount: Number(facts.amount),
    amountString: facts.amount,
    timestamp: Number(facts.paidAt),
    status: 'executed',
    signature: facts.signature,
    slot: facts.slot,
    gateway: facts.gateway,
    paymentPolicy: facts.paymentPolicy,
    recipient: facts.recipient,
    payer: facts.payer,
    tokenMint: facts.tokenMint,
    recordId: facts.recordId,
    eventId: facts.eventId,
    seq: facts.seq,
  }
}
