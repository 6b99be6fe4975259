/** Longer than an unhindered batch takes to get there; what waits is what clients wait for. */
const LONGEST_WAIT_MS = 100

/** Something that happens once. */
class Moment {
  #come!: () => void
  readonly passed = new Promise<void>(resolve => (this.#come = resolve))
  come(): void {
    this.#come()
  }
}

/**
 * A batch's turn to be stored: batches are read while others are stored, and stored in the order they arrived.
 * Postgres works longest, and least for this process, once it has what it must write. What can wait is done then.
 */
export class Turn {
  #next: Turn | undefined
  #isWaiting = false
  readonly #writing = new Moment()
  readonly #over = new Moment()
  readonly #before: Promise<void> | undefined = undefined

  /** @param before the batch that arrived before */
  constructor(before: Turn | undefined) {
    if (before === undefined) return
    before.#next = this
    this.#before = before.#over.passed
  }

  /** The batch is read. Resolves when those before are stored, or given up. */
  async begin(): Promise<void> {
    this.#isWaiting = true
    await this.#before
  }

  nowWriting(): void {
    this.#writing.come()
  }

  /** The batch is stored, or given up. */
  end(): void {
    this.#writing.come()
    this.#over.come()
  }

  /** Resolves once Postgres writes the next batch; at once when none is waiting to be stored, and soon in any case. */
  async nextIsWriting(): Promise<void> {
    const next = this.#next
    if (next === undefined || !next.#isWaiting) return
    let timer: NodeJS.Timeout | undefined
    const longEnough = new Promise<void>(resolve => (timer = setTimeout(resolve, LONGEST_WAIT_MS)))
    await Promise.race([next.#writing.passed, longEnough])
    clearTimeout(timer)
  }
}
