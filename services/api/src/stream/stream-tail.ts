// The live end of the stream: one database reader for all sockets of this process. Positions have no gaps, and their
// order is the commit order. Reading on from the last position therefore skips nothing, however late an event commits.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from '@payment-tracking/runtime'
import { listEventsAfter, type EventRange, type StreamEvent } from '@payment-tracking/store/reads'
import { readStreamHead, type Store, type StreamHead } from '@payment-tracking/store/core'
import type { Tokens } from '@payment-tracking/domain'

/** Commits that come more often than this are read together. */
const READ_EVERY_MS = 20
const AFTER_FAILURE_MS = 1_000
const PAGE = 500

export interface TailListener {
  /** Receives events in commit order; each call continues after the last event of the previous call. */
  onEvents(events: readonly StreamEvent[]): void
  /** The database was replaced: all positions are invalid. */
  onOtherEpoch(): void
}

export class StreamTail {
  #head: StreamHead | undefined
  #starting: Promise<StreamHead> | undefined
  #running: Promise<void> | undefined
  readonly #listeners = new Set<TailListener>()
  readonly #stop = new AbortController()
  #isSignalled = false
  #endWait: (() => void) | undefined

  constructor(
    private readonly store: Store,
    private readonly tokens: Tokens,
    private readonly log: Pick<Logger, 'warn' | 'info'>,
    /** how soon what no signal said is read */
    private readonly checkEveryMs: number,
  ) {}

  /** The listeners have received every event up to this position. */
  get position(): bigint {
    return this.#head?.position ?? 0n
  }

  /** The present end of the stream; a tail without listeners starts there. */
  async open(): Promise<StreamHead> {
    if (this.#head && this.#listeners.size > 0) return readStreamHead(this.store)
    this.#starting ??= readStreamHead(this.store).finally(() => (this.#starting = undefined))
    const head = await this.#starting
    // Other listeners may have started meanwhile; their tail must not jump.
    if (this.#listeners.size === 0) this.#head = head
    return head
  }

  /** @returns a function that stops listening */
  listen(listener: TailListener): () => void {
    this.#listeners.add(listener)
    this.#start()
    return () => void this.#listeners.delete(listener)
  }

  #start(): void {
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined
      // A listener may have joined while the last run ended.
      if (this.#listeners.size > 0 && !this.#stop.signal.aborted) this.#start()
    })
  }

  /** Events may have been stored: they are read at once. */
  signal(): void {
    this.#isSignalled = true
    this.#endWait?.()
  }

  async close(): Promise<void> {
    this.#stop.abort()
    this.#endWait?.()
    await this.#running
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop
    let isFailing = false
    while (this.#listeners.size > 0 && !signal.aborted) {
      this.#isSignalled = false
      try {
        await this.#readOn()
        if (isFailing) this.log.info({}, 'stream.reading-again')
        isFailing = false
      } catch (err) {
        if (!isFailing) this.log.warn({ err }, 'stream.read-failed')
        isFailing = true
      }
      await sleep(isFailing ? AFTER_FAILURE_MS : READ_EVERY_MS, undefined, { signal }).catch(() => {})
      if (!isFailing) await this.#waitForSignal()
    }
  }

  async #waitForSignal(): Promise<void> {
    if (this.#isSignalled || this.#stop.signal.aborted) return
    const ended = new Promise<void>(resolve => (this.#endWait = resolve))
    const timer = setTimeout(this.#endWait!, this.checkEveryMs)
    await ended
    clearTimeout(timer)
  }

  async #readOn(): Promise<void> {
    const head = await readStreamHead(this.store)
    if (this.#head && this.#head.epoch !== head.epoch) {
      this.#head = head
      for (const listener of [...this.#listeners]) listener.onOtherEpoch()
      return
    }
    this.#head ??= head
    while (this.#head.position < head.position && !this.#stop.signal.aborted) {
      const range: EventRange = { after: this.#head.position, upTo: head.position, limit: PAGE }
      const events = await listEventsAfter(this.store, range, this.tokens)
      this.#head = { epoch: head.epoch, position: events.at(-1)?.position ?? head.position }
      for (const listener of [...this.#listeners]) listener.onEvents(events)
    }
  }
}
