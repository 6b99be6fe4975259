/**
 * Remembers which payments of a tracking ID were seen, by `seq`. Payments may arrive out of order and twice; each passes
 * once. Nothing is missing up to `floor`, so a reconnecting client continues from there.
 */
export class SeenPayments {
  #floor: number
  readonly #ahead = new Set<number>()

  constructor(floor: number) {
    this.#floor = floor
  }

  get floor(): number {
    return this.#floor
  }

  /** @returns true the first time */
  add(seq: number): boolean {
    if (seq <= this.#floor || this.#ahead.has(seq)) return false
    this.#ahead.add(seq)
    this.#advance()
    return true
  }

  /** Everything up to `seq` was replayed; missing numbers belong to payments that the filter left out. */
  reach(seq: number): void {
    if (seq <= this.#floor) return
    this.#floor = seq
    for (const one of this.#ahead) if (one <= seq) this.#ahead.delete(one)
    this.#advance()
  }

  #advance(): void {
    while (this.#ahead.delete(this.#floor + 1)) this.#floor += 1
  }
}
