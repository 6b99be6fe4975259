import { Type, type Static } from 'typebox'
import type { CommittedPayment } from './committed-payment.js'

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
  position: Type.Integer({
    minimum: 1,
    description: 'its place in the stream of all events: as `x-min-position`, REST answers know the payment',
  }),
  retracted: Type.Optional(
    Type.Literal(true, {
      description: 'in a replay: the finalized chain does not hold its transaction; do not count it',
    }),
  ),
})
export type SocketPayment = Static<typeof SocketPayment>

/** The `payment` event as it is emitted; `timestamp` is the time of sending, in milliseconds. */
export interface PaymentMessage {
  type: 'payment_notification'
  data: SocketPayment
  timestamp: number
}

/** `data` of the `retraction` event: which payment the finalized chain does not hold. */
export const SocketRetraction = Type.Object({
  trackingId: Type.String(),
  seq: Type.Integer({ minimum: 1 }),
  eventId: Type.String(),
  signature: Type.String(),
})
export type SocketRetraction = Static<typeof SocketRetraction>

/** The `retraction` event as it is emitted; `timestamp` is the time of sending, in milliseconds. */
export interface RetractionMessage {
  type: 'retraction'
  data: SocketRetraction
  timestamp: number
}

/**
 * The `lifecycle` event as it is emitted: the types and `data` of the webhooks' life-cycle events, for clients that
 * subscribed with `events: true`.
 */
export interface LifecycleMessage {
  /** names the change: the same as `webhook-id` of webhooks */
  id: string
  /** `subscription.created` and so on */
  type: string
  data: { trackingId: string; paymentPolicy: string; status: string | null; [field: string]: unknown }
  /** the time of sending, in milliseconds */
  timestamp: number
}

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
  resume: Type.Optional(
    Nullable(Type.String({ maxLength: 200, description: 'the secret of the seat held before a reconnect' })),
  ),
})
export type SubscribeRequest = Static<typeof SubscribeRequest>

/** The `unsubscribe` event. */
export const UnsubscribeRequest = Type.Object({ trackingId: TrackingId })
export type UnsubscribeRequest = Static<typeof UnsubscribeRequest>

/** Codes of the `error` event and of a refusing acknowledgement. */
export const SOCKET_ERROR_CODES = [
  'INVALID_TRACKING_ID',
  'INVALID_REQUEST',
  'TOO_MANY_CONNECTIONS',
  'TOO_MANY_SUBSCRIPTIONS',
  'RATE_LIMITED',
  'UNAVAILABLE',
] as const
export type SocketErrorCode = (typeof SOCKET_ERROR_CODES)[number]

/** WebSocket close codes and reasons by which the service ends a connection. */
export const SOCKET_CLOSES = {
  SLOW_CONSUMER: 4008,
  RATE_LIMITED: 4029,
  TOO_MANY_CONNECTIONS: 4030,
  /** The code of RFC 6455's registry for a service that restarts. */
  RESTART: 1012,
} as const
export type SocketCloseReason = keyof typeof SOCKET_CLOSES

export interface SubscribeRefusal {
  ok: false
  code: SocketErrorCode
  message: string
}

/** The argument of the acknowledgement callback of `subscribe`. */
export type SubscribeReply =
  | {
      ok: true
      /** the `seq` of the tracking ID's newest payment, 0 when there is none */
      head: number
      epoch: string
      /** a secret that gives this seat to the same client after a reconnect */
      resume: string
      /** `since` was given and could be honoured */
      recovered: boolean
      replay: SocketPayment[]
      /** more payments follow: subscribe again with `since: next` */
      more: boolean
      /** how far `replay` reaches, the next `since` */
      next: number
    }
  | SubscribeRefusal

export type UnsubscribeReply = { ok: true } | SubscribeRefusal

interface Envelope<T extends string, D> {
  type: T
  data: D
  /** milliseconds since the Unix epoch */
  timestamp: number
}
export type AckMessage = Envelope<'ack', string>
export interface RefusalData {
  code: SocketErrorCode
  message: string
  trackingId?: string
}
export type ErrorMessage = Envelope<'error', RefusalData>
export type RefusedMessage = Envelope<'refused', RefusalData>
export type ReconnectMessage = Envelope<'reconnect', { afterMs: number }>

/** The events that the service emits. */
export interface ServerToClientEvents {
  payment: (message: PaymentMessage) => void
  /** An announced payment is taken back: the finalized chain does not hold it. May arrive twice. */
  retraction: (message: RetractionMessage) => void
  /** Something happened to a policy of a tracking ID that was subscribed to with `events: true`. */
  lifecycle: (message: LifecycleMessage) => void
  ack: (message: AckMessage) => void
  error: (message: ErrorMessage) => void
  /** In place of `error`, a client that subscribed without a callback has no seat. */
  refused: (message: RefusedMessage) => void
  /** The pod stops: reconnect within `afterMs`. A client that stays is closed with RESTART. */
  reconnect: (message: ReconnectMessage) => void
}

/** The events that a client emits. Their data is `unknown` until it is checked, because anyone can connect. */
export interface ClientToServerEvents {
  subscribe: (request: unknown, callback?: (reply: SubscribeReply) => void) => void
  unsubscribe: (request: unknown, callback?: (reply: UnsubscribeReply) => void) => void
}

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
