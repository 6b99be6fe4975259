// Caps how many works run at once: of one key, such as a client or a gateway, and of all keys together. Keys take turns, so
// whatever one key has waiting, another key waits for one work of each key at most.

/** Ends a work; calls after the first do nothing. */
export type Leave = () => void

interface Queue {
  running: number
  /** starts a work; in order of arrival */
  readonly waiting: Set<() => void>
}

export class KeyedSemaphore {
  readonly #queues = new Map<string, Queue>()
  /** keys that wait and may run one more, in the order of their turns */
  readonly #ready = new Set<string>()
  readonly #ofKey: number
  readonly #ofAll: number
  #running = 0

  /** @param limits how many works may run at once */
  constructor({ ofKey, ofAll = Infinity }: { ofKey: number; ofAll?: number }) {
    this.#ofKey = ofKey
    this.#ofAll = ofAll
  }

  /** How many keys have works. */
  get size(): number {
    return this.#queues.size
  }

  /**
   * Resolves when the key may run one more work.
   * @param signal ends the wait: nothing is kept of a work that nobody waits for
   * @throws the reason of the signal
   */
  enter(key: string, signal: AbortSignal): Promise<Leave> {
    if (signal.aborted) return Promise.reject(signal.reason as Error)
    const queue = this.#queues.get(key) ?? { running: 0, waiting: new Set() }
    this.#queues.set(key, queue)
    if (queue.running < this.#ofKey && this.#running < this.#ofAll)
      return Promise.resolve(this.#begin(key, queue))
    return new Promise((resolve, reject) => {
      const start = () => {
        signal.removeEventListener('abort', giveUp)
        resolve(this.#begin(key, queue))
      }
      const giveUp = () => {
        queue.waiting.delete(start)
        this.#forgetIdle(key, queue)
        reject(signal.reason as Error)
      }
      signal.addEventListener('abort', giveUp)
      queue.waiting.add(start)
      this.#takePlace(key, queue)
    })
  }

  /** Runs a work in a turn of its key. @throws the reason of the signal while the work waits, and what the work throws */
  async run<T>(key: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const leave = await this.enter(key, signal)
    try {
      return await work()
    } finally {
      leave()
    }
  }

  #begin(key: string, queue: Queue): Leave {
    queue.running += 1
    this.#running += 1
    let hasLeft = false
    return () => {
      if (hasLeft) return
      hasLeft = true
      queue.running -= 1
      this.#running -= 1
      this.#takePlace(key, queue)
      this.#forgetIdle(key, queue)
      this.#startNext()
    }
  }

  #takePlace(key: string, queue: Queue): void {
    if (queue.waiting.size > 0 && queue.running < this.#ofKey) this.#ready.add(key)
  }

  #forgetIdle(key: string, { running, waiting }: Queue): void {
    if (waiting.size > 0) return
    this.#ready.delete(key)
    if (running === 0) this.#queues.delete(key)
  }

  #startNext(): void {
    for (const key of this.#ready) {
      if (this.#running >= this.#ofAll) return
      const queue = this.#queues.get(key)!
      const [start] = queue.waiting
      queue.waiting.delete(start!)
      this.#ready.delete(key)
      start!()
      // A key that was deleted and added again while the set is walked comes last.
      this.#takePlace(key, queue)
    }
  }
}
