// Which payments of a tracking ID this pod has forwarded to a room.
//
//   unborn --baseline(head)--> counting
//
// `seq` has no holes: everything up to `contiguous` was forwarded or is older than the room. `ahead` holds each `seq`
// that arrived before an earlier `seq`. A payment at or below the baseline that still arrives is forwarded once: its
// subscriber may have joined between the payment's commit and its arrival.

/** More payments than are committed while a request runs. A head that lies further back is one of lost commits. */
const MOST_BETWEEN = 10_000

export class SeqTracker {
  #floor: number | null = null
  #contiguous = 0
  readonly #ahead = new Set<number>()
  readonly #early = new Set<number>()

  /** The last `seq` without a hole before it; null before the first check of the store. */
  get contiguous(): number | null {
    return this.#floor === null ? null : this.#contiguous
  }

  /** Whether payments are known to be missing. */
  get hasGap(): boolean {
    return this.#floor !== null && this.#ahead.size > 0
  }

  /**
   * Sets the head that was read for a subscriber of the room. The lowest one counts: a subscriber that read an earlier
   * head, and is answered later, also waits for the payments in between.
   */
  baseline(head: number): void {
    const floor = this.#floor
    if (floor !== null && (floor <= head || this.#contiguous - head > MOST_BETWEEN)) return
    for (const seq of this.#early) if (seq > head && this.#early.delete(seq)) this.#ahead.add(seq)
    if (floor !== null) for (let seq = floor + 1; seq <= this.#contiguous; seq++) this.#ahead.add(seq)
    this.#floor = head
    this.#contiguous = head
    for (const seq of this.#ahead) if (seq <= head && this.#ahead.delete(seq)) this.#early.add(seq)
    this.#advance()
  }

  /** @returns whether the payment is new to the room and must be sent */
  note(seq: number): boolean {
    if (this.#floor !== null && seq === this.#contiguous + 1) {
      this.#contiguous = seq
      if (this.#ahead.size > 0) this.#advance()
      return true
    }
    if (this.#floor !== null && seq <= this.#contiguous) {
      if (seq > this.#floor || this.#early.has(seq)) return false
      this.#early.add(seq)
      return true
    }
    if (this.#ahead.has(seq)) return false
    this.#ahead.add(seq)
    return true
  }

  /** @returns the first range up to `head` that was not forwarded, of at most `limit` payments */
  missing(head: number, limit: number): { from: number; to: number } | null {
    if (this.#floor === null) return null
    const from = this.#contiguous + 1
    if (from > head) return null
    let to = from
    while (to < head && to - from + 1 < limit && !this.#ahead.has(to + 1)) to++
    return { from, to }
  }

  /** The highest known `seq`, forwarded or still waiting for an earlier `seq`. */
  get highest(): number {
    let highest = this.#contiguous
    for (const seq of this.#ahead) if (seq > highest) highest = seq
    return highest
  }

  #advance(): void {
    this.#ahead.delete(this.#contiguous)
    while (this.#ahead.delete(this.#contiguous + 1)) this.#contiguous++
  }
}
