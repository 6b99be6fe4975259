// The final transactions that this lease holder has published, or is about to publish. A failed publication ends the
// lease holder's work and with it this memory, so a taken transaction is a published one for everybody who asks.

/** The most that are remembered: about 200 bytes each. */
const MOST = 100_000

export class TakenTransactions {
  readonly #slots = new Map<string, number>()

  take = (signature: string, slot: number): void => void this.#slots.set(signature, slot)

  /** Whether the transaction was taken, in whatever slot. */
  isKnown = (signature: string): boolean => this.#slots.has(signature)

  has = (signature: string, slot: number): boolean => this.#slots.get(signature) === slot

  /**
   * Forgets transactions below a slot, and the older half when there are too many.
   * @param keepFrom this slot and all later ones are kept however many they hold
   * @returns the slot from which every transaction is remembered
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
    // They were taken in the order of the chain, but for a few that a node listed late.
    for (const [signature, slot] of this.#slots) {
      if (slot >= from) break
      this.#slots.delete(signature)
    }
    return from
  }
}
