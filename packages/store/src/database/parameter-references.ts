// Prisma's engine writes the parameters of a raw query as JSON and reads the JSON again. For the columns of a batch this
// takes as much CPU as building them. So a long text passes the engine as a short reference, and the adapter puts the
// text back before it sends the statement.
import { randomUUID } from 'node:crypto'

/** Shorter texts are not worth a reference. */
const LONG = 500

/** The references of one client. */
export class ParameterReferences {
  readonly #texts = new Map<string, string>()
  /** Postgres refuses a text with NUL, and nobody can guess the rest: no other parameter looks like a reference. */
  readonly #mark = `\0${randomUUID()}`
  #count = 0

  /** The references of one transaction. `close` forgets those whose statement was never sent. */
  open(): { shorten: (value: unknown) => unknown; close: () => void } {
    const opened: string[] = []
    return {
      shorten: value => {
        if (typeof value !== 'string' || value.length < LONG) return value
        const reference = `${this.#mark}${++this.#count}`
        this.#texts.set(reference, value)
        opened.push(reference)
        return reference
      },
      close: () => opened.forEach(reference => this.#texts.delete(reference)),
    }
  }

  /** The text of a reference; any other value as it is. */
  restore(value: unknown): unknown {
    return typeof value === 'string' && value.startsWith('\0') ? (this.#texts.get(value) ?? value) : value
  }
}
