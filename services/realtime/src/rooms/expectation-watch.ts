// Notifies clients of what becomes of an expected payment. Ingest announces a change after its commit. Redis may lose an
// announcement, and nobody announces that time has passed or that the gateway cancelled: so a pod looks at what its own
// subscribers follow, and sends each of them the changes that it has not been sent. Changes are known by their numbers.
import type { SocketExpectation } from '@payment-tracking/contracts'
import { coalesce, repeat, type Logger, type RepeatedTask } from '@payment-tracking/runtime'
import { frameOfExpectation, type PaymentFrame } from '@payment-tracking/redis'
import { readExpectationsById } from '@payment-tracking/store/reads'
import { toCommittedExpectation, type ReadExpectation, type Store } from '@payment-tracking/store/core'
import type { Room, Rooms, Subscriber } from './rooms.js'

const CHECK_SPREAD = 0.25
const STOP_WITHIN_MS = 1_000
/** Expectations that one statement reads. */
const READ_AT_ONCE = 256

export interface ExpectationWatchOptions {
  rooms: Rooms
  store: Store
  log: Logger
  intervalMs: number
}

export class ExpectationWatch {
  readonly #options: ExpectationWatchOptions
  readonly #checks: RepeatedTask
  readonly #read: (id: string) => Promise<ReadExpectation | null>

  constructor(options: ExpectationWatchOptions) {
    this.#options = options
    this.#read = coalesce(ids => this.#readMany(ids), { maxItems: READ_AT_ONCE })
    this.#checks = repeat({
      everyMs: options.intervalMs,
      spread: CHECK_SPREAD,
      stopWithinMs: STOP_WITHIN_MS,
      run: stop => this.#check(stop),
      onError: err => options.log.warn({ err }, 'expectations.check-failed'),
    })
  }

  start = () => this.#checks.start()
  stop = () => this.#checks.stop()

  /**
   * After this resolves, the subscriber of a joined room is sent each change after the answer.
   * @returns null where the tracking ID has no such expectation
   * @throws StoreUnavailableError
   */
  async watch(subscriber: Subscriber, trackingId: string, asked: string): Promise<SocketExpectation | null> {
    const id = asked.toLowerCase()
    subscriber.expectation = { id, sent: 0 }
    const seen = await this.#read(id)
    if (seen?.record.trackingId !== trackingId) return null
    subscriber.expectation.sent = Math.max(subscriber.expectation.sent, Number(seen.changes))
    const { reference: _, payments, ...record } = seen.record
    const numbers = {
      amount: Number(record.amount),
      paidAmount: Number(record.paidAmount),
      paymentCount: Number(record.paymentCount),
    }
    return { ...record, ...numbers, payments: [...payments] }
  }

  /** Handles a change from Redis. Nothing happens where nobody follows it. */
  receive(room: Room, { recipient: id, seq, wsFrame }: PaymentFrame): void {
    this.#options.rooms.sendExpectation(room, { id: id!, changes: seq }, () => wsFrame)
  }

  async #readMany(ids: readonly string[]): Promise<(ReadExpectation | null)[]> {
    const found = await readExpectationsById(this.#options.store, [...new Set(ids)])
    const byId = new Map(found.map(each => [each.record.id, each]))
    return ids.map(id => byId.get(id) ?? null)
  }

  async #check(stop: AbortSignal): Promise<void> {
    const { rooms } = this.#options
    const followed: { room: Room; id: string }[] = []
    for (const room of rooms.all())
      for (const id of new Set([...room.subscribers].flatMap(({ expectation }) => expectation?.id ?? [])))
        followed.push({ room, id })
    for (let from = 0; from < followed.length && !stop.aborted; from += READ_AT_ONCE) {
      const some = followed.slice(from, from + READ_AT_ONCE)
      const seen = await this.#readMany(some.map(({ id }) => id))
      for (const [at, { room, id }] of some.entries()) {
        const each = seen[at]
        if (!each) continue
        const expectation = toCommittedExpectation(each)
        rooms.sendExpectation(room, { id, changes: expectation.changes }, () =>
          frameOfExpectation(expectation, Date.now()),
        )
      }
    }
  }
}
