import { setImmediate as nextRead, setTimeout as sleep } from 'node:timers/promises'
import type { JsMsg } from 'nats'
import type { ConsumerOptions } from './consumer-options.js'

/** A batch is lengthened by no more messages than this to keep a group together. */
const MOST_OF_GROUP = 256
const LONGEST_GATHERING_MS = 10

/** The messages that were received and not handled yet, and the batches that they become. */
export class Backlog {
  readonly #waiting: JsMsg[] = []
  /** The last delivery of each message that waits or is handled, by sequence. */
  readonly #held = new Map<number, JsMsg>()
  readonly #idle: (() => void)[] = []
  /** fetches a batch only when it is full */
  readonly #spare: (() => void)[] = []
  #stopping = false

  constructor(private readonly options: Pick<ConsumerOptions, 'batchSize' | 'groupOf' | 'isContinued'>) {}

  add(message: JsMsg): void {
    const isHeld = isSame(this.#held.get(message.seq), message)
    this.#held.set(message.seq, message)
    // While handling is slow, all that waits is delivered again after each ack wait.
    if (isHeld) return
    this.#waiting.push(message)
    this.#idle.shift()?.()
    if (this.#waiting.length >= this.options.batchSize) this.#spare.shift()?.()
  }

  /** Resolves when there is a batch; with undefined after the stop. @param isSpare fetches a batch only when it is full */
  async nextBatch(isSpare: boolean): Promise<readonly JsMsg[] | undefined> {
    const [least, asleep] = isSpare ? [this.options.batchSize, this.#spare] : [1, this.#idle]
    for (;;) {
      if (this.#stopping) return undefined
      if (this.#waiting.length < least) {
        await new Promise<void>(resolve => asleep.push(resolve))
        continue
      }
      await this.#gather()
      // Another took it meanwhile, or the stop gives it back.
      if (!this.#stopping && this.#waiting.length >= least) return this.#take()
    }
  }

  lastDeliveryOf(handled: JsMsg): JsMsg {
    const held = this.#held.get(handled.seq)
    if (!isSame(held, handled)) return handled
    this.#held.delete(handled.seq)
    return held
  }

  /** Gives out no more batches. */
  stop(): void {
    this.#stopping = true
    for (const wake of [...this.#idle.splice(0), ...this.#spare.splice(0)]) wake()
  }

  /** Messages that were received and not begun go back at once instead of after the ack wait. */
  giveBack(): void {
    for (const message of this.#waiting.splice(0)) message.nak(1)
  }

  /** What arrived together is handed over message by message: resolves when all of it is here. */
  async #gather(): Promise<void> {
    const { batchSize, isContinued } = this.options
    if (this.#waiting.length <= batchSize) await nextRead()
    for (let waitedMs = 0; waitedMs < LONGEST_GATHERING_MS; waitedMs++) {
      const last = this.#waiting.at(-1)
      if (this.#stopping || !last || this.#waiting.length > batchSize || !isContinued?.(last.subject)) return
      await sleep(1)
    }
  }

  #take(): JsMsg[] {
    const { batchSize, groupOf } = this.options
    const batch = this.#waiting.splice(0, batchSize)
    const nameOf = (message: JsMsg | undefined) => (message && groupOf?.(message.data)) ?? null
    const last = nameOf(batch.at(-1))
    if (last === null) return batch
    for (let more = 0; more < MOST_OF_GROUP && nameOf(this.#waiting[0]) === last; more++)
      batch.push(this.#waiting.shift()!)
    return batch
  }
}

/** A stream that was made anew counts its messages from 1 again. */
const isSame = (one: JsMsg | undefined, other: JsMsg): one is JsMsg =>
  one?.seq === other.seq && one.info.timestampNanos === other.info.timestampNanos
