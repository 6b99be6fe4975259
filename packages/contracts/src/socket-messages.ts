// What the Socket.IO channel carries, without a dependency: the published client is packed with this file.

/** The Socket.IO path, on the same base URL as REST. */
export const SOCKET_PATH = '/ws/v1'

/**
 * A payment of a tracking ID: `data` of the `payment` event, and one item of a replay. Anyone can write any memo: check
 * recipient, token mint and amount before you ship.
 */
export interface SocketPayment {
  trackingId: string
  /** the nearest double; `amountString` is exact */
  amount: number
  amountString: string
  /** Unix seconds */
  timestamp: number
  status: 'executed'
  signature: string
  slot: number
  gateway: string
  paymentPolicy: string
  recipient: string | null
  payer: string | null
  tokenMint: string | null
  recordId: number
  eventId: string
  /** counts the payments of the tracking ID from 1 without holes */
  seq: number
  /** its place in the stream of all events: as `x-min-position`, REST answers know the payment */
  position: number
  /** in a replay: the finalized chain does not hold its transaction; do not count it */
  retracted?: true
}

/** The `payment` event as it is emitted; `timestamp` is the time of sending, in milliseconds. */
export interface PaymentMessage {
  type: 'payment_notification'
  data: SocketPayment
  timestamp: number
}

/** `data` of the `retraction` event: which payment the finalized chain does not hold. */
export interface SocketRetraction {
  trackingId: string
  seq: number
  eventId: string
  signature: string
}

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

/** An expected payment, as everybody who knows its id may see it. */
export interface SocketExpectation {
  id: string
  gateway: string
  trackingId: string
  recipient: string
  tokenMint: string
  /** the nearest double; `amountString` is exact */
  amount: number
  amountString: string
  state: 'open' | 'underpaid' | 'paid' | 'overpaid' | 'expired' | 'cancelled'
  /** the nearest double; `paidAmountString` is exact */
  paidAmount: number
  paidAmountString: string
  paymentCount: number
  /** met, and not by the payments up to `expiresAt` alone */
  late: boolean
  /** null while no payment counts */
  finality: 'confirmed' | 'finalized' | null
  /** the event ids of the newest payments that count, at most 100 */
  payments: string[]
  createdAt: string
  expiresAt: string | null
  /** another time for each change of the state or the sum */
  changedAt: string
  /** the payment that changed it last, or that was taken back; null where the clock or the gateway did */
  eventId: string | null
}

/** The `expectation` event, for clients that subscribed with an `expectation`: its state or its sum has changed. */
export interface ExpectationMessage {
  type: 'expectation'
  data: SocketExpectation
  /** as `x-min-position`, REST answers know the change; null where the clock or the gateway changed it */
  position: number | null
  /** the time of sending, in milliseconds */
  timestamp: number
}

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
      /** of a request that names one */
      expectation?: SocketExpectation
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
  /** The state or the sum of the expected payment has changed that the client follows. May arrive twice. */
  expectation: (message: ExpectationMessage) => void
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
