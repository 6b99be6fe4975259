// Which statements are prepared.
import { createHash } from 'node:crypto'
import type pg from 'pg'

/** A statement takes the place of another once it is used so many times as often: each connection has to prepare it. */
const HOLDS_BY = 2

export interface PreparedLimits {
  /** statements that have a name at a time */
  most: number
  /** after so many uses names are given anew; at most twice as many texts are known */
  every: number
}

/**
 * Names the most used of all statements. The first are named at once; later the uses decide, and the newest count most: whenever
 * names are given anew, the uses before count half.
 */
export class PreparedNames {
  readonly #uses = new Map<string, number>()
  #names = new Map<string, string>()
  #count = 0

  constructor(private readonly limits: PreparedLimits) {}

  /** Counts a use. @returns the same name for the same text; undefined for a text that shall not be prepared */
  use(text: string): string | undefined {
    this.#uses.set(text, (this.#uses.get(text) ?? 0) + 1)
    this.#count += 1
    if (this.#count === this.limits.every) this.#choose()
    else if (this.#names.size < this.limits.most && !this.#names.has(text))
      this.#names.set(text, writeName(text))
    return this.#names.get(text)
  }

  #choose(): void {
    const weigh = ([text, uses]: [string, number]) => uses * (this.#names.has(text) ? HOLDS_BY : 1)
    const byUse = [...this.#uses].sort((one, other) => weigh(other) - weigh(one))
    const chosen = byUse.slice(0, this.limits.most)
    this.#names = new Map(chosen.map(([text]) => [text, this.#names.get(text) ?? writeName(text)]))
    this.#count = 0
    for (const [text, uses] of byUse) {
      if (uses < 2) this.#uses.delete(text)
      else this.#uses.set(text, uses / 2)
    }
  }
}

const writeName = (text: string): string => createHash('sha1').update(text).digest('base64url')

/** Twice as many as are named at a time: a connection keeps what was prepared in it, in the memory of its server process. */
const MOST_PREPARED = 400

const preparedIn = new WeakMap<pg.ClientBase, Set<string>>()

/** Notes that a connection prepared a statement. @returns whether it has prepared so many that another shall replace it */
export function wearsOut(client: pg.ClientBase, { name }: pg.QueryConfig): boolean {
  if (name === undefined) return false
  const names = preparedIn.get(client) ?? new Set()
  if (!preparedIn.has(client)) preparedIn.set(client, names)
  names.add(name)
  return names.size > MOST_PREPARED
}
