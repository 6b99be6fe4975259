/**
 * Longer than a batch normally takes to reach its writes. Clients wait equally long for the previous batch's payments.
 */
const LONGEST_WAIT_MS = 100

/** A promise that other code resolves, once. */
class Signal {
  #resolve!: () => void
  readonly received = new Promise<void>(resolve => (this.#resolve = resolve))
  send(): void {
    this.#resolve()
  }
}

/** Stores batches in the order in which they arrived, while later batches are still being read. */
export class BatchSequencer {
  #last: SequencedBatch | undefined

  /** @returns the turn of a batch that arrives now, after all earlier batches */
  add(): SequencedBatch {
    const batch = new SequencedBatch(this.#last)
    this.#last = batch
    return batch
  }
}

/**
 * The turn of one batch in the sequence. While Postgres writes a batch, this process has little to do. Work of an
 * earlier batch that can wait should run then (`nextIsWriting`).
 */
export class SequencedBatch {
  #next: SequencedBatch | undefined
  #isRead = false
  readonly #writing = new Signal()
  readonly #ended = new Signal()
  readonly #previousEnded: Promise<void> | undefined = undefined

  constructor(previous: SequencedBatch | undefined) {
    if (previous === undefined) return
    previous.#next = this
    this.#previousEnded = previous.#ended.received
  }

  /** Call when the batch is read. Resolves when all earlier batches are stored or have failed. */
  async previousEnded(): Promise<void> {
    this.#isRead = true
    await this.#previousEnded
  }

  /** Call when Postgres has received all statements of the batch. */
  startWriting(): void {
    this.#writing.send()
  }

  /** Call when the batch is stored or has failed. */
  end(): void {
    this.#writing.send()
    this.#ended.send()
  }

  /**
   * Resolves when Postgres writes the next batch: at once if no next batch is read yet, and after `LONGEST_WAIT_MS` at
   * the latest.
   */
  async nextIsWriting(): Promise<void> {
    const next = this.#next
    if (next === undefined || !next.#isRead) return
    let timer: NodeJS.Timeout | undefined
    const timeout = new Promise<void>(resolve => (timer = setTimeout(resolve, LONGEST_WAIT_MS)))
    await Promise.race([next.#writing.received, timeout])
    clearTimeout(timer)
  }
}
