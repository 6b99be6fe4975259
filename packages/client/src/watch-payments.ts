// The payments of a tracking ID as they happen, each exactly once, through lost connections and restarts.
import { io, type Socket } from 'socket.io-client'
import { rootOf } from './base-url.js'
import { positionsOf } from './position-memory.js'
import { SeenPayments } from './seen-payments.js'
import {
  SOCKET_ERROR_CODES,
  SOCKET_PATH,
  type ClientToServerEvents,
  type ServerToClientEvents,
  type SocketErrorCode,
  type SocketExpectation,
  type SocketPayment,
  type SocketRetraction,
  type SubscribeReply,
} from '@payment-tracking/contracts/socket-messages'

export interface WatchOptions {
  trackingId: string
  /** only payments to this public key */
  recipient?: string
  /** the last known `seq`; 0 replays all payments. Without it: payments from now on */
  since?: number
  /** which database `since` is of */
  epoch?: string
  /** an expected payment of the tracking ID: `onExpectation` is called with what becomes of it */
  expectation?: string
  onPayment: (payment: SocketPayment) => void
  /** The record of `expectation`, at each subscription and each change of its state; may come twice. */
  onExpectation?: (expectation: SocketExpectation) => void
  /** A payment is taken back: the finalized chain does not hold it. `onPayment` had it before, unless it was missed. */
  onRetraction?: (retraction: SocketRetraction) => void
  /** subscribed, and all payments after `since` were passed on; also after each reconnect */
  onReady?: (state: WatchState) => void
  /** The connection or its seat is lost: payments come again after the next `onReady`. The client tries by itself. */
  onLost?: () => void
  /** refused; the client tries again by itself unless `isFinal` */
  onRefused?: (refusal: { code: SocketErrorCode; message: string; isFinal: boolean }) => void
  /** The database was replaced: `since` has no meaning any more, and payments may have been missed. */
  onReset?: () => void
}

/** To continue later: pass these as `since` and `epoch`. */
export interface WatchState {
  since: number
  epoch: string
}

export interface PaymentWatch {
  /** null until the first subscription is acknowledged */
  readonly state: WatchState | null
  close(): void
}

const FIRST_RETRY_MS = 1_000
const LONGEST_RETRY_MS = 30_000
/** Codes after which the same request would be refused again. */
const FINAL: ReadonlySet<SocketErrorCode> = new Set(['INVALID_TRACKING_ID', 'INVALID_REQUEST'])

/** What a service adds to the error of a connection that it refuses. */
type RefusedConnection = Error & { data?: { code?: string; message?: string } }

/**
 * Subscribes to the payments of a tracking ID.
 * Anyone can write any memo: check recipient, token mint and amount before you ship.
 * @param baseUrl the service's root, the same as for REST
 */
export function watchPayments(baseUrl: string, options: WatchOptions): PaymentWatch {
  // Socket.IO takes the path of the URL that it is given for a namespace.
  const { origin, pathname } = new URL(rootOf(baseUrl) + SOCKET_PATH)
  const socket: Socket<ServerToClientEvents, ClientToServerEvents> = io(origin, {
    path: pathname,
    transports: ['websocket'],
  })
  let seen = options.since === undefined ? null : new SeenPayments(options.since)
  /**
   * Payments that were pushed before the first reply. A server may push a payment as soon as the subscription holds and
   * reply afterwards; only the reply tells which payments are new.
   */
  let early: SocketPayment[] = []
  let epoch = options.epoch
  let resume: string | undefined
  const positions = positionsOf(baseUrl)
  let failures = 0
  let timer: ReturnType<typeof setTimeout> | undefined
  let isClosed = false
  /** Events that are taken back: a retraction may come again after a reconnect. */
  const retracted = new Set<string>()

  const later = (delayMs: number, action: () => void) => {
    clearTimeout(timer)
    timer = setTimeout(() => !isClosed && action(), delayMs)
  }
  const hand = (payment: SocketPayment) => {
    positions.remember(payment.position, epoch)
    if (seen === null) {
      early.push(payment)
      return
    }
    if (!seen.add(payment.seq)) return
    if (payment.retracted) retract(payment)
    else options.onPayment(payment)
  }
  const retract = ({ trackingId, seq, eventId, signature }: SocketRetraction) => {
    if (retracted.has(eventId)) return
    retracted.add(eventId)
    options.onRetraction?.({ trackingId, seq, eventId, signature })
  }
  const close = () => {
    isClosed = true
    clearTimeout(timer)
    socket.close()
  }

  /** @param action what is tried again, the later the more often it was refused */
  const refuse = (code: SocketErrorCode, message: string, action: () => void) => {
    const isFinal = FINAL.has(code)
    options.onRefused?.({ code, message, isFinal })
    if (isFinal) return close()
    later(Math.min(FIRST_RETRY_MS * 2 ** failures++, LONGEST_RETRY_MS), action)
  }

  const subscribe = () => {
    // Socket.IO would keep the message for the next connection, which subscribes by itself.
    if (!socket.connected) return
    const { trackingId, recipient, expectation } = options
    const asked = seen?.floor
    socket.emit('subscribe', { trackingId, recipient, since: asked, epoch, resume, expectation }, reply => {
      if (!isClosed) onReply(reply, asked)
    })
  }

  const onReply = (reply: SubscribeReply, asked: number | undefined) => {
    if (!reply.ok) return refuse(reply.code, reply.message, subscribe)
    failures = 0
    const isOther = asked !== undefined && !reply.recovered
    epoch = reply.epoch
    resume = reply.resume
    if (isOther) options.onReset?.()
    if (reply.expectation) options.onExpectation?.(reply.expectation)
    if (seen === null || isOther) seen = new SeenPayments(reply.head)
    for (const payment of reply.replay) hand(payment)
    for (const payment of early.splice(0)) hand(payment)
    if (asked !== undefined && reply.recovered) seen.reach(reply.next)
    if (reply.more) return subscribe()
    options.onReady?.({ since: seen.floor, epoch })
  }

  socket.on('connect', subscribe)
  socket.on('payment', ({ data }) => data.trackingId === options.trackingId && hand(data))
  socket.on('expectation', ({ data }) => data.id === options.expectation && options.onExpectation?.(data))
  socket.on('retraction', ({ data }) => {
    if (data.trackingId !== options.trackingId) return
    early = early.filter(({ seq }) => seq !== data.seq)
    seen?.add(data.seq)
    retract(data)
  })
  // The seat was lost while the connection stays open: no other event says that payments have stopped.
  socket.on('error', ({ data }) => {
    if (data.code === 'TOO_MANY_CONNECTIONS' && data.trackingId === options.trackingId) {
      options.onLost?.()
      later(FIRST_RETRY_MS, subscribe)
    }
  })
  socket.on('reconnect', ({ data }) =>
    later(Math.random() * data.afterMs, () => socket.disconnect().connect()),
  )
  // Socket.IO reconnects by itself after a lost connection, but not after the server closed it.
  socket.on('disconnect', reason => {
    if (isClosed) return
    options.onLost?.()
    if (reason === 'io server disconnect') later(FIRST_RETRY_MS, () => socket.connect())
  })
  // Socket.IO tries again while the service cannot be reached (`active`), but not after the service refused the connection.
  socket.on('connect_error', error => {
    if (isClosed || socket.active) return
    const { code, message = error.message } = (error as RefusedConnection).data ?? {}
    const known = SOCKET_ERROR_CODES.find(each => each === code) ?? 'UNAVAILABLE'
    refuse(known, message, () => socket.connect())
  })

  return {
    get state() {
      return seen === null || epoch === undefined ? null : { since: seen.floor, epoch }
    },
    close,
  }
}
