// The reads of a pod as a gate: what a client's request asks of Postgres waits there for its steps of the trace.
import { StoreUnavailableError, type Store } from '@payment-tracking/store/core'

interface Statement {
  text: string
  values: unknown[]
}
type Read = (statement: Statement) => Promise<readonly unknown[]>
type WithReads = Store & { database: { read: Read } }

/** A read that a client's request waits for. `client` is 0 for reads of nobody. */
interface Waiting {
  client: number
  run: () => Promise<void>
  answer: () => void
  fail: (error: Error) => void
}

/** The reads of one pod: at once, or when a step says so. */
export class ReadGate {
  /** whose requests wait here now; null: every read runs at once */
  holdsFor: number | null = null
  running = 0
  readonly #waiting: Waiting[] = []

  constructor(
    private readonly store: Store,
    private readonly breakText: (text: string) => string,
  ) {}

  /** The same store with its reads here. */
  get gated(): Store {
    const { database } = this.store as WithReads
    const read: Read = statement => {
      const broken = this.#broken(statement)
      const run = async () => {
        this.running += 1
        try {
          return await database.read(broken)
        } finally {
          this.running -= 1
        }
      }
      return this.holdsFor === null ? run() : this.#wait(this.holdsFor, run)
    }
    return { ...this.store, database: { ...database, read } } as unknown as Store
  }

  #broken(statement: Statement): Statement {
    const { strings, values } = statement as unknown as { strings: string[]; values: unknown[] }
    const texts = strings.map(this.breakText)
    if (texts.every((text, at) => text === strings[at])) return statement
    const Sql = statement.constructor as new (strings: string[], values: unknown[]) => Statement
    return new Sql(texts, values)
  }

  #wait(client: number, read: () => Promise<readonly unknown[]>): Promise<readonly unknown[]> {
    return new Promise((resolve, reject) => {
      let found: readonly unknown[] | Error = new StoreUnavailableError('the client has left')
      this.#waiting.push({
        client,
        run: async () => {
          found = await read().catch((error: Error) => error)
        },
        answer: () => (found instanceof Error ? reject(found) : resolve(found)),
        fail: reject,
      })
    })
  }

  waitsFor = (client: number): boolean => this.#waiting.some(read => read.client === client)
  /** Reads what a client's request waits for; the request does not know yet. */
  run = (client: number): Promise<void> => this.#waiting.find(read => read.client === client)!.run()
  answer(client: number): void {
    const at = this.#waiting.findIndex(read => read.client === client)
    for (const read of this.#waiting.splice(at, 1)) read.answer()
  }
  /** The client has left: its request ends. */
  forget(client: number): void {
    for (const read of this.#waiting.filter(read => read.client === client)) {
      this.#waiting.splice(this.#waiting.indexOf(read), 1)
      read.fail(new StoreUnavailableError('the client has left'))
    }
  }
}
