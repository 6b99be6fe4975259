/** Wrong passwords and tokens that one address may send in a window; the dashboard has few users and one password. */
const MOST_FAILURES = 10
const WINDOW_MS = 60_000
/** A flood of addresses forgets the oldest, not the process's memory. */
const MOST_ADDRESSES = 10_000

/** Counts failed attempts by address, so that one that guesses is stopped and keeps nobody else out. */
export class FailedAttempts {
  readonly #byAddress = new Map<string, { count: number; sinceMs: number }>()

  /** Whether an address has used up its attempts. */
  isBlocked(address: string, nowMs: number): boolean {
    const failures = this.#byAddress.get(address)
    return failures !== undefined && nowMs - failures.sinceMs < WINDOW_MS && failures.count >= MOST_FAILURES
  }

  note(address: string, nowMs: number): void {
    const failures = this.#byAddress.get(address)
    if (failures && nowMs - failures.sinceMs < WINDOW_MS) {
      failures.count += 1
      return
    }
    this.#byAddress.delete(address)
    if (this.#byAddress.size >= MOST_ADDRESSES) this.#byAddress.delete(this.#byAddress.keys().next().value!)
    this.#byAddress.set(address, { count: 1, sinceMs: nowMs })
  }
}
