// The live end of the stream: one reader of the database for all sockets of this process. Positions are dense
// and their order is commit order, so reading on from the last one skips nothing, however late it commits.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from '@payment-tracking/runtime'
import {
  listEventsAfter,
  type EventRange,
  readStreamHead,
  type Store,
  type StreamEvent,
  type StreamHead,
} from '@payment-tracking/store'

const POLL_EVERY_MS = 150
const AFTER_FAILURE_MS = 1_000
const PAGE = 500

export interface FeedListener {
  /** Events in commit order; each call goes on where the last one ended. */
  onEvents(events: readonly StreamEvent[]): void
  /** The database is another one than before: no position means anything any more. */
  onOtherEpoch(): void
}

export class Feed {
  #head: StreamHead | undefined
  #starting: Promise<StreamHead> | undefined
  #running: Promise<void> | undefined
  readonly #listeners = new Set<FeedListener>()
  readonly #stop = new AbortController()

  constructor(
    private readonly store: Store,
    private readonly log: Pick<Logger, 'warn' | 'info'>,
  ) {}

  /** Everything up to here was handed to the listeners. */
  get position(): bigint {
    return this.#head?.position ?? 0n
  }

  /** Where the stream ends now; a feed that nobody listens to begins there. */
  async open(): Promise<StreamHead> {
    if (this.#head && this.#listeners.size > 0) return readStreamHead(this.store)
    this.#starting ??= readStreamHead(this.store).finally(() => (this.#starting = undefined))
    const head = await this.#starting
    // Others may have begun to listen meanwhile; their feed must not jump.
    if (this.#listeners.size === 0) this.#head = head
    return head
  }

  /** @returns a function that stops listening */
  listen(listener: FeedListener): () => void {
    this.#listeners.add(listener)
    this.#start()
    return () => void this.#listeners.delete(listener)
  }

  #start(): void {
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined
      // A listener may have been added while the last run ended.
      if (this.#listeners.size > 0 && !this.#stop.signal.aborted) this.#start()
    })
  }

  async close(): Promise<void> {
    this.#stop.abort()
    await this.#running
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop
    let isFailing = false
    while (this.#listeners.size > 0 && !signal.aborted) {
      try {
        await this.#poll()
        if (isFailing) this.log.info({}, 'stream.reading-again')
        isFailing = false
      } catch (err) {
        if (!isFailing) this.log.warn({ err }, 'stream.read-failed')
        isFailing = true
      }
      await sleep(isFailing ? AFTER_FAILURE_MS : POLL_EVERY_MS, undefined, { signal }).catch(() => {})
    }
  }

  async #poll(): Promise<void> {
    const head = await readStreamHead(this.store)
    if (this.#head && this.#head.epoch !== head.epoch) {
      this.#head = head
      for (const listener of [...this.#listeners]) listener.onOtherEpoch()
      return
    }
    this.#head ??= head
    while (this.#head.position < head.position && !this.#stop.signal.aborted) {
      const range: EventRange = { after: this.#head.position, upTo: head.position, limit: PAGE }
      const events: StreamEvent[] = await listEventsAfter(this.store, range)
      this.#head = { epoch: head.epoch, position: events.at(-1)?.position ?? head.position }
      for (const listener of [...this.#listeners]) listener.onEvents(events)
    }
  }
}
