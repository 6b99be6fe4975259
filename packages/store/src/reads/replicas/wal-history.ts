/** Entries that are closer together than this part of the span are one entry. */
const ENTRIES = 50

interface Entry {
  atMs: number
  walEnd: bigint
}

/**
 * How far the primary had written its WAL, and when: it dates what a replica has replayed. So a lag needs no clock but
 * this process's, is exact while nothing is written, and does not grow while the primary is away.
 */
export class WalHistory {
  #entries: Entry[] = []
  #seenAtMs = -Infinity

  /** @param spanMs lags up to this one are told apart */
  constructor(private readonly spanMs: number) {}

  /** @param atMs before the primary was asked */
  note(walEnd: bigint, atMs: number): void {
    this.#seenAtMs = atMs
    const last = this.#entries.at(-1)
    if (last?.walEnd === walEnd) last.atMs = atMs
    else if (last === undefined || atMs - last.atMs >= this.spanMs / ENTRIES)
      this.#entries.push({ atMs, walEnd })
    const kept = this.#entries.findIndex(entry => entry.atMs >= atMs - this.spanMs)
    // One entry before the span stays: it tells a lag of about the span from a longer one.
    if (kept > 1) this.#entries.splice(0, kept - 1)
  }

  /** Another server is the primary: its WAL is another one. */
  clear(): void {
    this.#entries = []
  }

  /**
   * How much older than the primary, when the primary was last seen, a database is that has replayed so much.
   * @returns Infinity when it has replayed less than this history begins with
   */
  lagMs(replayed: bigint): number {
    const last = this.#entries.findLast(({ walEnd }) => walEnd <= replayed)
    if (last === undefined) return Infinity
    return last === this.#entries.at(-1) ? 0 : this.#seenAtMs - last.atMs
  }
}
