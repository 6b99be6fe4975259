// Of the processes of a service, one leads: it does what must be done once, and the others stand by. A report is its lease.

/** For how long a report holds. A process that died, or is frozen, leads no longer, and the next one's report finds it leads. */
export const LEASE_SECONDS = 10

/** Whether this process leads, by its last report. Two may believe so for a moment: what they do must bear it. */
export class Lead {
  #until = 0
  #term = new AbortController()

  /** @param reportedAt of `performance.now()`, before the report left */
  note(leads: boolean, reportedAt: number): void {
    if (leads) this.#until = reportedAt + LEASE_SECONDS * 1_000
    else this.#end()
  }

  /** @returns a signal that is aborted when another process leads; null while this one does not */
  term(): AbortSignal | null {
    if (performance.now() >= this.#until) {
      this.#end()
      return null
    }
    if (this.#term.signal.aborted) this.#term = new AbortController()
    return this.#term.signal
  }

  #end(): void {
    this.#until = 0
    this.#term.abort()
  }
}
