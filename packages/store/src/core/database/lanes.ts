// A lane keeps the statements of a transaction in the order of their calls, on their way through Prisma Client. The client gathers
// what is called in one turn of the event loop, runs it one after the other, and waits for each answer. So a lane calls a statement
// once the driver has sent the one before, and waits for no answer.

/** How the rows of a statement are read: as pg reads them, or as a model of Prisma wants them. */
export type Form = 'raw' | 'model'

interface Call {
  form: Form
  start(): void
}

export class Lane {
  #current: Call | undefined
  #waiting: Call[] = []
  #failure: Error | undefined
  #drained: (() => void) | undefined

  /**
   * @param settings statements at the beginning of the transaction
   * @param timeoutMs the longest wait for the answer to a statement
   */
  constructor(
    readonly settings: readonly string[],
    readonly timeoutMs: number,
  ) {}

  /** Of the statement that comes next to the driver. */
  get form(): Form | undefined {
    return this.#current?.form
  }

  /** Calls what runs one statement, or the statements of a model, after what was called before. */
  call<T>(form: Form, run: () => PromiseLike<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const call: Call = {
        form,
        start: () => {
          this.#current = call
          run().then(
            result => {
              if (this.#current === call) this.#next()
              resolve(result)
            },
            (error: Error) => {
              if (this.#current === call) this.#failure ??= error
              if (this.#current === call) this.#next()
              reject(error)
            },
          )
        },
      }
      if (this.#current) this.#waiting.push(call)
      else call.start()
    })
  }

  /** The driver has sent a statement. A model may have another, once it has the answer. */
  reach(): void {
    if (this.#current?.form === 'raw') this.#next()
  }

  #next(): void {
    this.#current = undefined
    const next = this.#waiting.shift()
    if (next) next.start()
    else this.#drained?.()
  }

  /** Resolves when the driver has all statements. @throws the error of one that did not get there */
  async drain(): Promise<void> {
    if (this.#current) await new Promise<void>(resolve => (this.#drained = resolve))
    if (this.#failure !== undefined) throw this.#failure
  }

  /** Calls nothing more. */
  close(): void {
    this.#waiting = []
  }
}

/** The lanes of a store: one transaction has one at a time, so the driver knows whose transaction begins. */
export class Lanes {
  #opening: Lane | undefined
  #last: Promise<unknown> = Promise.resolve()

  /** Runs `work`, which begins one transaction, after the work before it. */
  run<T>(lane: Lane, work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(() => {
      this.#opening = lane
      return work()
    })
    this.#last = done.catch(() => {}).then(() => lane.close())
    return done
  }

  /** The lane of the transaction that begins. */
  take(): Lane | undefined {
    const lane = this.#opening
    this.#opening = undefined
    return lane
  }
}
