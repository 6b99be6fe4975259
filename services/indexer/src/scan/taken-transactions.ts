// The final transactions that this lease holder has published or is publishing. When a publication fails, the lease holder
// stops and this memory ends with it. So callers may treat every transaction in this memory as published.

/** The largest number of transactions in this memory. Each takes about 200 bytes. */
const MOST = 100_000

export class TakenTransactions {
  readonly #slots = new Map<string, number>()

  take = (signature: string, slot: number): void => void this.#slots.set(signature, slot)

  /** Whether the transaction was taken, in whatever slot. */
  isKnown = (signature: string): boolean => this.#slots.has(signature)

  has = (signature: string, slot: number): boolean => this.#slots.get(signature) === slot

  /**
   * Removes the transactions of all slots below `below`. If more than MOST transactions remain, removes the oldest slots
   * too, until half of MOST remain.
   * @param keepFrom this slot and later slots always remain
   * @returns the lowest slot of which no transaction was removed
   */
  forget(below: number, keepFrom: number): number {
    let from = below
    if (this.#slots.size > MOST) {
      let surplus = this.#slots.size - MOST / 2
      for (const slot of this.#slots.values()) {
        if (surplus-- <= 0) break
        from = Math.max(from, Math.min(slot + 1, keepFrom))
      }
    }
    // The order of the map is the order of the chain, except for the few transactions that a node listed late.
    for (const [signature, slot] of this.#slots) {
      if (slot >= from) break
      this.#slots.delete(signature)
    }
    return from
  }
}
