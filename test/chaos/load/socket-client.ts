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
import type { SentPayment } from '../../history/entries.js'
import type { Recorder } from '../../history/recorder.js'
import type { ClientPlan } from '../plan/socket-plan.js'
import type { CommitChecker } from './commit-checker.js'
import type { NotifiedReader } from './notified-reader.js'

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
  /** When each event was first known, by its id. */
  readonly firstKnownMs = new Map<string, number>()
  #socket: Socket | undefined
  /** A number for each connection, in the history. */
  #connection = 0

  constructor(
    private readonly baseUrl: string,
    readonly plan: ClientPlan,
    private readonly checker: CommitChecker,
    private readonly recorder: Recorder,
    private readonly notifiedReader: Pick<NotifiedReader, 'notify'>,
  ) {}

  get connected(): boolean {
    return this.#socket?.connected ?? false
  }

  come(): void {
    if (this.#socket) return
    if (this.plan.forgets) this.recorder.note({ ...this.#said, what: 'forget' })
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
      this.#connection = this.recorder.next()
      for (const trackingId of this.plan.trackingIds) void this.#follow(socket, trackingId)
    })
    socket.on('disconnect', reason => {
      this.#endHolds()
      // The one reason after which the library does not come back by itself.
      if (reason === 'io server disconnect') socket.connect()
    })
    socket.on('payment', ({ data }: PaymentMessage) => this.#onPayment(data))
    socket.on('retraction', ({ data }: RetractionMessage) => {
      this.#notePush('retraction', data)
      const followed = this.followed.get(data.trackingId)
      if (followed) this.#know(followed, { ...data, retracted: true })
    })
    socket.on('error', ({ data }: ErrorMessage) => {
      if (data.code !== 'TOO_MANY_CONNECTIONS' || data.trackingId === undefined) return
      const followed = this.followed.get(data.trackingId)
      if (!followed?.hold) return
      this.#noteLost(data.trackingId)
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
      const noteReply = this.#noteRequest(request)
      const reply = (await socket
        .timeout(ANSWER_TIMEOUT_MS)
        .emitWithAck('subscribe', request)
        .catch(() => undefined)) as SubscribeReply | undefined
      if (reply) noteReply(reply)
      if (socket.id !== id || this.followed.get(trackingId) !== followed) return
      if (!reply?.ok) {
        await sleep(AGAIN_MS + Math.random() * AGAIN_MS)
        continue
      }
      if (followed.epoch !== undefined && followed.epoch !== reply.epoch) {
        // The database lost commits: what is known of it does not hold any more.
        followed.epoch = reply.epoch
        followed.known.clear()
        followed.retracted.clear()
        this.problems = []
        continue
      }
      followed.epoch = reply.epoch
      followed.resume = reply.resume
      followed.head = Math.max(followed.head, reply.head)
      if (!reply.recovered) {
        // A client that never heard the epoch cannot show that it counts what this database counts.
        if (request.epoch !== undefined || since === 0)
          this.problems.push(
            `socket: ${this.plan.name} has ${since} of ${trackingId}, head ${reply.head}, and was not recovered`,
          )
        followed.known.clear()
        followed.retracted.clear()
        continue
      }
      for (const payment of reply.replay) this.#know(followed, payment)
      followed.hold ??= this.#beginHold(trackingId)
      if (!reply.more) return
    }
  }

  get #said() {
    return { who: this.plan.name, via: 'socket' } as const
  }

  /** @returns notes the reply */
  #noteRequest({
    trackingId,
    since,
    epoch,
  }: {
    trackingId: string
    since: number
    epoch: string | undefined
  }) {
    const { recorder } = this
    const of = { ...this.#said, op: recorder.next(), connection: this.#connection, trackingId }
    recorder.note({ ...of, what: 'ask', since, ...(epoch !== undefined && { epoch }) })
    return (reply: SubscribeReply) => {
      if (!reply.ok) return recorder.note({ ...of, what: 'answer', refused: reply.code })
      const { head, epoch, recovered, more, next, replay } = reply
      const listed = replay.map(({ seq, eventId, position, retracted }): SentPayment => ({
        seq,
        eventId,
        position,
        ...(retracted && { retracted }),
      }))
      recorder.note({ ...of, what: 'answer', epoch, head, recovered, more, next, replay: listed })
    }
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
    for (const [trackingId, followed] of this.followed) {
      this.#noteLost(trackingId)
      this.#endHold(followed)
    }
  }

  #noteLost(trackingId: string): void {
    this.recorder.note({ ...this.#said, what: 'lost', connection: this.#connection, trackingId })
  }

  #notePush(what: 'payment' | 'retraction', payment: SocketPayment | SocketRetraction): void {
    const { trackingId, seq, eventId, signature } = payment
    const position = 'position' in payment ? { position: payment.position } : {}
    const of = { ...this.#said, connection: this.#connection, trackingId }
    this.recorder.note({ ...of, what, seq, eventId, signature, ...position })
  }

  #onPayment(payment: SocketPayment): void {
    this.#notePush('payment', payment)
    this.notifiedReader.notify(payment, this.followed.get(payment.trackingId)?.epoch)
    this.checker.checkPush(this.plan.name, payment)
    const followed = this.followed.get(payment.trackingId)
    if (!followed) {
      this.problems.push(`socket: ${this.plan.name} was sent ${payment.trackingId}, which it does not follow`)
      return
    }
    if (followed.hold && !followed.hold.pushes.has(payment.seq)) {
      followed.hold.pushes.set(payment.seq, performance.now())
    }
    this.#know(followed, payment)
  }

  #know({ known, retracted }: Followed, payment: KnownPayment): void {
    const before = known.get(payment.seq)
    if (payment.retracted) retracted.add(payment.seq)
    if (before && before.eventId !== payment.eventId) {
      const { trackingId, seq } = payment
      this.problems.push(`socket: ${this.plan.name} was sent two payments as seq ${seq} of ${trackingId}`)
    }
    // A retraction alone does not say what the payment was.
    if (before === undefined || !payment.retracted) known.set(payment.seq, payment)
    if (!this.firstKnownMs.has(payment.eventId)) this.firstKnownMs.set(payment.eventId, performance.now())
  }
}

/** The last `seq` before the first gap. */
export function contiguousOf({ known }: { known: ReadonlyMap<number, unknown> }): number {
  let seq = 0
  while (known.has(seq + 1)) seq++
  return seq
}
