// A client of the real-time channel, written from the contract: it asks again after every connection from the
// last `seq` up to which it knows everything, and keeps payments by `seq`. It does not look for gaps while it is
// connected: those the service must heal by itself.
import { setTimeout as sleep } from 'node:timers/promises'
import {
  SOCKET_PATH,
  type ErrorMessage,
  type PaymentMessage,
  type ReconnectMessage,
  type RetractionMessage,
  type SocketPayment,
  type SocketRetraction,
  type SubscribeReply,
} from '@payment-tracking/contracts'
import { io, type Socket } from 'socket.io-client'
import type { ClientPlan } from '../plan/socket-plan.js'
import type { CommitChecker } from './commit-checker.js'
import { findReplyProblems, type ToldHeads } from './answer-rules.js'

/** An answer that grants a subscription. */
export type SentSubscription = Extract<SubscribeReply, { ok: true }>

/** What the client knows of a payment: of one whose retraction came first, only these. */
export type KnownPayment =
  | SocketPayment
  | (SocketRetraction & { retracted: true; amountString?: never; recordId?: never })

/** One continuous subscription, as the client saw it. */
export interface Hold {
  client: string
  trackingId: string
  fromMs: number
  /** undefined while it lasts */
  toMs: number | undefined
  /** When each payment was pushed; replays do not count. */
  pushes: Map<number, number>
}

interface Followed {
  known: Map<number, KnownPayment>
  /** `seq` of payments that were taken back */
  retracted: Set<number>
  head: number
  resume: string | undefined
  epoch: string | undefined
  hold: Hold | undefined
}

const ANSWER_TIMEOUT_MS = 2_000
const AGAIN_MS = 250

export class SocketClient {
  /** What was found wrong since the database is the present one. */
  problems: string[] = []
  readonly holds: Hold[] = []
  readonly followed = new Map<string, Followed>()
  #socket: Socket | undefined
  /** Of the connection: what was asked for over it, and the database that its answers are of. */
  #asked = new Set<string>()
  #epoch: string | undefined

  constructor(
    private readonly baseUrl: string,
    readonly plan: ClientPlan,
    private readonly checker: CommitChecker,
    private readonly told: ToldHeads,
  ) {}

  get connected(): boolean {
    return this.#socket?.connected ?? false
  }

  come(): void {
    if (this.#socket) return
    for (const trackingId of this.plan.trackingIds) {
      const before = this.plan.forgets ? undefined : this.followed.get(trackingId)
      this.followed.set(
        trackingId,
        before ?? {
          known: new Map(),
          retracted: new Set(),
          head: 0,
          resume: undefined,
          epoch: undefined,
          hold: undefined,
        },
      )
    }
    const socket = io(this.baseUrl, {
      path: SOCKET_PATH,
      transports: ['websocket'],
      forceNew: true,
      timeout: 2_000,
      reconnectionDelay: 50,
      reconnectionDelayMax: 500,
    })
    this.#socket = socket
    socket.on('connect', () => {
      this.#asked = new Set()
      this.#epoch = undefined
      for (const trackingId of this.plan.trackingIds) void this.#follow(socket, trackingId)
    })
    socket.on('disconnect', reason => {
      this.#endHolds()
      // The one reason after which the library does not come back by itself.
      if (reason === 'io server disconnect') socket.connect()
    })
    socket.on('payment', ({ data }: PaymentMessage) => this.#onPayment(data))
    socket.on('retraction', ({ data }: RetractionMessage) => {
      this.#hear(data)
      const followed = this.followed.get(data.trackingId)
      if (followed) this.#know(followed, { ...data, retracted: true })
    })
    socket.on('error', ({ data }: ErrorMessage) => {
      if (data.code !== 'TOO_MANY_CONNECTIONS' || data.trackingId === undefined) return
      const followed = this.followed.get(data.trackingId)
      if (!followed?.hold) return
      this.#endHold(followed)
      void this.#follow(socket, data.trackingId, AGAIN_MS)
    })
    socket.on('reconnect', ({ data }: ReconnectMessage) => {
      setTimeout(() => {
        if (this.#socket === socket) socket.disconnect().connect()
      }, data.afterMs * Math.random())
    })
  }

  leave(): void {
    const socket = this.#socket
    this.#socket = undefined
    socket?.disconnect()
    this.#endHolds()
  }

  /** Asks until it is answered, or the connection or the client is another one. */
  async #follow(socket: Socket, trackingId: string, afterMs = 0): Promise<void> {
    const { id } = socket
    const followed = this.followed.get(trackingId)!
    await sleep(afterMs)
    while (this.#socket === socket && socket.id === id && socket.connected) {
      const since = contiguousOf(followed)
      const request = { trackingId, since, epoch: followed.epoch, resume: followed.resume }
      const told = this.told.now()
      const askedMs = performance.now()
      this.#asked.add(trackingId)
      const reply = (await socket
        .timeout(ANSWER_TIMEOUT_MS)
        .emitWithAck('subscribe', request)
        .catch(() => undefined)) as SubscribeReply | undefined
      if (socket.id !== id || this.followed.get(trackingId) !== followed) return
      if (!reply?.ok) {
        await sleep(AGAIN_MS + Math.random() * AGAIN_MS)
        continue
      }
      const isOther = followed.epoch !== undefined && followed.epoch !== reply.epoch
      // The database lost commits: what is known of it does not hold any more.
      if (isOther) this.problems = []
      this.#epoch ??= reply.epoch
      if (this.#epoch !== reply.epoch) this.#complain('was told of two databases over one connection')
      for (const problem of findReplyProblems(request, reply))
        this.#complain(`asked for ${trackingId} since ${since} and ${problem}`)
      const before = told(reply.epoch, trackingId)
      if (reply.head < before)
        this.checker.report(
          askedMs,
          `socket: ${this.plan.name} was told of head ${reply.head} of ${trackingId}, after somebody was told of seq ${before}`,
        )
      followed.epoch = reply.epoch
      followed.resume = reply.resume
      followed.head = Math.max(followed.head, reply.head)
      if (isOther || !reply.recovered) {
        followed.known.clear()
        followed.retracted.clear()
        continue
      }
      for (const payment of reply.replay) {
        this.told.tell(reply.epoch, trackingId, payment.seq)
        this.#know(followed, payment)
      }
      followed.hold ??= this.#beginHold(trackingId)
      if (!reply.more) return
    }
  }

  #complain(problem: string): void {
    this.problems.push(`socket: ${this.plan.name} ${problem}`)
  }

  /** A payment, or a retraction, that was sent without being asked. */
  #hear({ trackingId, seq }: SocketPayment | SocketRetraction): void {
    if (!this.#asked.has(trackingId)) this.#complain(`was sent ${trackingId}, and has not asked for it`)
    this.told.tell(this.#epoch, trackingId, seq)
  }

  #beginHold(trackingId: string): Hold {
    const { name: client } = this.plan
    const hold = { client, trackingId, fromMs: performance.now(), toMs: undefined, pushes: new Map() }
    this.holds.push(hold)
    return hold
  }

  #endHold(followed: Followed): void {
    if (followed.hold) followed.hold.toMs = performance.now()
    followed.hold = undefined
  }

  #endHolds(): void {
    for (const followed of this.followed.values()) this.#endHold(followed)
  }

  #onPayment(payment: SocketPayment): void {
    this.#hear(payment)
    this.checker.checkPush(this.plan.name, payment)
    const followed = this.followed.get(payment.trackingId)
    if (!followed) return
    if (followed.hold && !followed.hold.pushes.has(payment.seq)) {
      followed.hold.pushes.set(payment.seq, performance.now())
    }
    this.#know(followed, payment)
  }

  #know({ known, retracted }: Followed, payment: KnownPayment): void {
    const before = known.get(payment.seq)
    if (payment.retracted) retracted.add(payment.seq)
    if (before && before.eventId !== payment.eventId)
      this.#complain(`was sent two payments as seq ${payment.seq} of ${payment.trackingId}`)
    // A retraction alone does not say what the payment was.
    if (before === undefined || !payment.retracted) known.set(payment.seq, payment)
  }
}

/** The last `seq` before the first gap. */
function contiguousOf({ known }: { known: ReadonlyMap<number, unknown> }): number {
  let seq = 0
  while (known.has(seq + 1)) seq++
  return seq
}
