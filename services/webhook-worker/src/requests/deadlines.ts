// Ends of an exchange before its answer. Plain calls replace abort signals: creating an abort signal and listening to
// it for each request took a tenth of the worker's time.

/** Why the worker cancelled an exchange. */
export type CalledOff = 'timeout' | 'stopped'

/** The time for one exchange, from the look-up of the name to the last byte of the answer. */
export class Deadline {
  /** null before the deadline ends */
  over: CalledOff | null = null
  #callOff: (() => void) | null = null
  readonly #timer: NodeJS.Timeout

  constructor(timeoutMs: number) {
    this.#timer = setTimeout(() => this.end('timeout'), timeoutMs)
  }

  /** Sets the one action for the end of the deadline. Runs the action at once when the deadline is over already. */
  atEnd(callOff: () => void): void {
    if (this.over === null) this.#callOff = callOff
    else callOff()
  }

  end(why: CalledOff): void {
    if (this.over !== null) return
    this.over = why
    this.#callOff?.()
  }

  /** Call when the exchange has ended by itself. */
  clear(): void {
    clearTimeout(this.#timer)
    this.#callOff = null
  }
}

export interface Deadlines {
  /** Runs one exchange. If the process already stops, the deadline of the exchange is over from the start. */
  within<T>(exchange: (deadline: Deadline) => Promise<T>): Promise<T>
  /** Ends all current exchanges, and all later exchanges before they begin. */
  stop(): void
}

export function openDeadlines(timeoutMs: number): Deadlines {
  const underWay = new Set<Deadline>()
  let stopped = false
  return {
    within: async exchange => {
      const deadline = new Deadline(timeoutMs)
      underWay.add(deadline)
      if (stopped) deadline.end('stopped')
      try {
        return await exchange(deadline)
      } finally {
        deadline.clear()
        underWay.delete(deadline)
      }
    },
    stop: () => {
      stopped = true
      for (const deadline of underWay) deadline.end('stopped')
    },
  }
}

/** Rejects when the deadline ends first, for work that cannot be cancelled. */
export const beforeEnd = <T>(work: Promise<T>, deadline: Deadline): Promise<T> =>
  new Promise((resolve, reject) => {
    deadline.atEnd(() => reject(new Error('called off')))
    work.then(resolve, reject)
  })
