// The ends that an exchange may come to before its answer. Plain calls instead of abort signals: making and hearing
// one for each request took a tenth of the worker's time.

/** Why an exchange was called off. */
export type CalledOff = 'timeout' | 'stopped'

/** The time that one exchange has, from the look-up of the name to the last byte of the answer. */
export class Deadline {
  /** null while there is time */
  over: CalledOff | null = null
  #callOff: (() => void) | null = null
  readonly #timer: NodeJS.Timeout

  constructor(timeoutMs: number) {
    this.#timer = setTimeout(() => this.end('timeout'), timeoutMs)
  }

  /** Says what to do at the end; one thing at a time. At once when it is over already. */
  atEnd(callOff: () => void): void {
    if (this.over === null) this.#callOff = callOff
    else callOff()
  }

  end(why: CalledOff): void {
    if (this.over !== null) return
    this.over = why
    this.#callOff?.()
  }

  /** The exchange came to its own end. */
  clear(): void {
    clearTimeout(this.#timer)
    this.#callOff = null
  }
}

export interface Deadlines {
  /** Runs one exchange. When the process stops already, its deadline is over. */
  within<T>(exchange: (deadline: Deadline) => Promise<T>): Promise<T>
  /** Ends all exchanges under way, and those to come before they begin. */
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

/** Rejects when the deadline ends first: some work cannot be called off. */
export const beforeEnd = <T>(work: Promise<T>, deadline: Deadline): Promise<T> =>
  new Promise((resolve, reject) => {
    deadline.atEnd(() => reject(new Error('called off')))
    work.then(resolve, reject)
  })
