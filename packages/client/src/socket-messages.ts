// What the Socket.IO channel carries, for a package that stands alone. A test compares these types with those of the
// service.

/** The Socket.IO path, on the same base URL as REST. */
export const SOCKET_PATH = '/ws/v1'

/** A payment of a tracking ID. Anyone can write any memo: check recipient, token mint and amount before you ship. */
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
  /** its place in the stream of all events; this package's REST client asks for answers that know it */
  position: number
  /** in a replay: the finalized chain does not hold its transaction; do not count it */
  retracted?: true
}

/** A payment that the finalized chain does not hold. */
export interface SocketRetraction {
  trackingId: string
  seq: number
  eventId: string
  signature: string
}

export type SocketErrorCode =
  | 'INVALID_TRACKING_ID'
  | 'INVALID_REQUEST'
  | 'TOO_MANY_CONNECTIONS'
  | 'TOO_MANY_SUBSCRIPTIONS'
  | 'RATE_LIMITED'
  | 'UNAVAILABLE'

/** The argument of the acknowledgement of `subscribe`. */
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
      next: number
    }
  | { ok: false; code: SocketErrorCode; message: string }

interface Message<D> {
  data: D
  /** when it was sent, Unix milliseconds */
  timestamp: number
}

/** The events that the service emits and this client reads. */
export interface ServerToClientEvents {
  payment: (message: Message<SocketPayment>) => void
  retraction: (message: Message<SocketRetraction>) => void
  error: (message: Message<{ code: SocketErrorCode; message: string; trackingId?: string }>) => void
  /** The pod stops: reconnect within `afterMs`. */
  reconnect: (message: Message<{ afterMs: number }>) => void
}

export interface ClientToServerEvents {
  subscribe: (request: object, callback: (reply: SubscribeReply) => void) => void
}
