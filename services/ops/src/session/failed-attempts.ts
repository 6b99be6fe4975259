/** The most wrong passwords and tokens of one address in a window. The dashboard has few users and one password. */
const MOST_FAILURES = 10
const WINDOW_MS = 60_000
/** With more addresses than this, the oldest is forgotten, so that memory stays bounded. */
const MOST_ADDRESSES = 10_000

/** Counts failed attempts by address: an address that guesses is blocked, and all other addresses stay admitted. */
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
