import { Type, type Static } from 'typebox'
import type { CommittedPayment } from './committed-payment.js'
import type { SocketPayment, SocketRetraction } from './socket-messages.js'

const Nullable = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) =>
  Type.Union([schema, Type.Null()])

const TrackingId = Type.String({ description: '1 to 64 bytes of UTF-8 without NUL' })

/** The `subscribe` event. */
export const SubscribeRequest = Type.Object({
  trackingId: TrackingId,
  recipient: Type.Optional(
    Nullable(
      Type.String({
        pattern: '^[1-9A-HJ-NP-Za-km-z]{32,44}$',
        description: 'only payments to this public key; one whose recipient is not known does not match',
      }),
    ),
  ),
  since: Type.Optional(
    Nullable(
      Type.Integer({
        minimum: 0,
        maximum: Number.MAX_SAFE_INTEGER,
        description: 'the last `seq` the client has; 0 replays all; absent means from now on',
      }),
    ),
  ),
  epoch: Type.Optional(
    Nullable(Type.String({ maxLength: 64, description: 'which database `since` belongs to' })),
  ),
  events: Type.Optional(
    Nullable(
      Type.Boolean({
        description: 'also what happens to the policies of the tracking ID, as `lifecycle` events',
      }),
    ),
  ),
  expectation: Type.Optional(
    Nullable(
      Type.String({
        pattern: '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$',
        description: 'also what becomes of this expected payment of the tracking ID, as `expectation` events',
      }),
    ),
  ),
  resume: Type.Optional(
    Nullable(Type.String({ maxLength: 200, description: 'the secret of the seat held before a reconnect' })),
  ),
})
export type SubscribeRequest = Static<typeof SubscribeRequest>

/** The `unsubscribe` event. */
export const UnsubscribeRequest = Type.Object({ trackingId: TrackingId })
export type UnsubscribeRequest = Static<typeof UnsubscribeRequest>

/** WebSocket close codes and reasons by which the service ends a connection. */
export const SOCKET_CLOSES = {
  SLOW_CONSUMER: 4008,
  RATE_LIMITED: 4029,
  TOO_MANY_CONNECTIONS: 4030,
  /** The code of RFC 6455's registry for a service that restarts. */
  RESTART: 1012,
} as const
export type SocketCloseReason = keyof typeof SOCKET_CLOSES

const ROOM_PREFIX = 'payments:'

/** The room of a tracking ID. The prefix keeps it apart from socket ids, whatever the tracking ID is. */
export const roomOf = (trackingId: string): string => `${ROOM_PREFIX}${trackingId}`

/**
 * @returns null for a payment without tracking ID: nobody can have subscribed to it
 */
export function toSocketPayment(payment: CommittedPayment): SocketPayment | null {
  if (payment.trackingId === null || payment.seq === null) return null
  return {
    trackingId: payment.trackingId,
    amount: Number(payment.amount),
    amountString: payment.amount,
    timestamp: Number(payment.paidAt),
    status: 'executed',
    signature: payment.signature,
    slot: payment.slot,
    gateway: payment.gateway,
    paymentPolicy: payment.paymentPolicy,
    recipient: payment.recipient,
    payer: payment.payer,
    tokenMint: payment.tokenMint,
    recordId: payment.recordId,
    eventId: payment.eventId,
    seq: payment.seq,
    position: Number(payment.position),
    ...(payment.retracted ? { retracted: true } : {}),
  }
}

/** @returns null for a payment without tracking ID: no client can have received it */
export function toSocketRetraction(payment: CommittedPayment): SocketRetraction | null {
  const { trackingId, seq, eventId, signature } = payment
  return trackingId === null || seq === null ? null : { trackingId, seq, eventId, signature }
}
