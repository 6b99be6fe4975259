// One socket of the stream. It has two states. Catching up: it reads pages from the database at the pace of its client.
// Live: it receives the events of the tail. In both states, every event up to `position` was sent or did not pass the
// filter. The reader goes live in the same step that finds no event between its position and the tail's position, so no
// event is missed or sent twice. The reader returns to catching up when its client falls behind. The server closes the
// socket when the client reads nothing.
import { setTimeout as sleep } from 'node:timers/promises'
import type { WebSocket } from 'ws'
import type { Logger } from '@payment-tracking/runtime'
import {
  listEventsAfter,
  readArchivedUpTo,
  type EventFilter,
  type StreamEvent,
} from '@payment-tracking/store/reads'
import { type Store } from '@payment-tracking/store/core'
import type { Tokens } from '@payment-tracking/domain'
import { CLOSE } from './close-codes.js'
import type { StreamTail } from './stream-tail.js'
import { matchesFilter } from './matches-filter.js'
import { SendQueue } from './send-queue.js'

/** How many positions one query covers: the upper bound of the cost of a filter that nothing passes. */
const WINDOW = 5_000n
const PAGE = 200
const AFTER_FAILURE_MS = 1_000
/** A socket that does not finish its close within this time is cut. */
const CUT_AFTER_MS = 5_000

export interface ReaderOptions {
  store: Store
  tokens: Tokens
  tail: StreamTail
  socket: WebSocket
  filter: EventFilter
  /** the position up to which the client has read */
  position: bigint
  /** the last position of an archived event when the stream began: the client knows that these are left out */
  archivedUpTo: bigint
  /** how long a client may read nothing */
  stallMs: number
  write: (event: StreamEvent) => string
  log: Pick<Logger, 'warn' | 'info'>
}

export class Reader {
  #position: bigint
  #isLive = false
  #isClosed = false
  readonly #sendQueue: SendQueue
  readonly #leave: () => void

  constructor(private readonly options: ReaderOptions) {
    this.#position = options.position
    this.#sendQueue = new SendQueue(options.socket)
    this.#leave = options.tail.listen({
      onEvents: events => this.#onEvents(events),
      onOtherEpoch: () => this.close(CLOSE.otherEpoch),
    })
    options.socket.on('close', () => this.#end())
    void this.#catchUp()
  }

  close({ code, reason }: { code: number; reason: string }): void {
    if (this.#isClosed) return
    this.#end()
    this.options.log.info({ code, reason, position: this.#position }, 'stream.closed')
    this.options.socket.close(code, reason)
    setTimeout(() => this.options.socket.terminate(), CUT_AFTER_MS).unref()
  }

  #end(): void {
    this.#isClosed = true
    this.#leave()
  }

  #onEvents(events: readonly StreamEvent[]): void {
    // A reader that is catching up finds these events in the database.
    if (!this.#isLive || this.#isClosed) return
    for (const event of events) {
      if (event.position <= this.#position) continue
      if (this.#sendQueue.isFull) {
        this.#isLive = false
        void this.#catchUp()
        return
      }
      this.#position = event.position
      if (matchesFilter(event, this.options.filter)) this.#sendQueue.send(this.options.write(event))
    }
  }

  async #catchUp(): Promise<void> {
    const { tail, stallMs, log } = this.options
    while (!this.#isClosed) {
      if (this.#sendQueue.isFull && !(await this.#sendQueue.drained(stallMs)))
        return this.close(CLOSE.tooSlow)
      if (this.#position >= tail.position) {
        this.#isLive = true
        return
      }
      try {
        await this.#sendPage(tail.position)
      } catch (err) {
        log.warn({ err }, 'stream.catch-up-failed')
        await sleep(AFTER_FAILURE_MS)
      }
    }
  }

  async #sendPage(end: bigint): Promise<void> {
    const { store, tokens, filter, stallMs, write, archivedUpTo } = this.options
    const after = this.#position
    const upTo = this.#position + WINDOW < end ? this.#position + WINDOW : end
    const events = await listEventsAfter(store, { after, upTo, limit: PAGE }, tokens, filter)
    // Asked after the page: events of it may have been archived before it was read.
    const archived = await readArchivedUpTo(store)
    if (archived > archivedUpTo && archived > after) return this.close(CLOSE.archived)
    for (const event of events) {
      if (this.#sendQueue.isFull && !(await this.#sendQueue.drained(stallMs)))
        return this.close(CLOSE.tooSlow)
      if (this.#isClosed) return
      this.#sendQueue.send(write(event))
      this.#position = event.position
    }
    if (events.length < PAGE) this.#position = upTo
  }
}
