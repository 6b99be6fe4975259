// Stops sending to an endpoint that does not answer, so that its time-outs do not delay other endpoints. It also stops for an
// endpoint that asks for patience: a pause. Any status is an answer. Strangers choose what an endpoint is asked, so no answer may
// open the breaker (contract.md section 4).
//
// closed     Attempts are allowed. It opens by a pause, or when 70 % of at least 10 attempts in 5 minutes got no answer.
// open       No attempt is allowed for 60 s, or for the time of the pause. An answer to an earlier attempt ends the 60 s, not a pause.
// half-open  One attempt is allowed, the probe. Its answer closes; without one the breaker opens again.

export const BREAKER = {
  windowMs: 300_000,
  minAttempts: 10,
  silentShare: 0.7,
  coolDownMs: 60_000,
} as const

/** Whether an attempt is allowed now. `deferMs` is the time for which none will be allowed. */
export type BreakerAnswer = { kind: 'go' } | { kind: 'probe' } | { kind: 'defer'; deferMs: number }

/** The window is kept in slices, so that its memory does not grow with the number of attempts. */
const SLICE_MS = 10_000

/** Time comes in as an argument, in milliseconds that never go back. */
export class DeliveryBreaker {
  #slices: { start: number; silent: number; made: number }[] = []
  #openUntilMs: number | null = null
  #probing = false
  #isPaused = false

  isOpen(nowMs: number): boolean {
    return this.openForMs(nowMs) > 0
  }

  /** Whether it is neither open nor half-open. */
  get isClosed(): boolean {
    return this.#openUntilMs === null
  }

  /** Whether a pause opened it, and no probe has ended since. */
  get isPaused(): boolean {
    return this.#isPaused
  }

  openForMs(nowMs: number): number {
    return Math.max(0, (this.#openUntilMs ?? 0) - nowMs)
  }

  /** Opens for so long at least. Afterwards one attempt asks, and the others wait for its answer. */
  pause(nowMs: number, forMs: number): void {
    this.#openUntilMs = Math.max(nowMs + forMs, this.#openUntilMs ?? 0)
    this.#isPaused = true
  }

  ask(nowMs: number): BreakerAnswer {
    if (this.#openUntilMs === null) return { kind: 'go' }
    if (this.isOpen(nowMs)) return { kind: 'defer', deferMs: this.openForMs(nowMs) }
    if (this.#probing) return { kind: 'defer', deferMs: 0 }
    this.#probing = true
    return { kind: 'probe' }
  }

  /** Gives back a probe that was allowed and not made. */
  forgoProbe(): void {
    this.#probing = false
  }

  /** Notes the end of an attempt. @param answered whether a status came, of any kind */
  note(nowMs: number, answered: boolean, probe: boolean): void {
    if (probe) this.#probing = false
    if (probe || (answered && !this.isClosed && !this.#isPaused)) {
      this.#isPaused = false
      this.#slices = []
      this.#openUntilMs = answered ? null : nowMs + BREAKER.coolDownMs
      return
    }
    // Silence of attempts that started before the breaker opened is counted, and changes no state while it is open.
    const start = Math.floor(nowMs / SLICE_MS) * SLICE_MS
    let slice = this.#slices.at(-1)
    if (slice?.start !== start) {
      this.#slices = this.#slices.filter(old => old.start > nowMs - BREAKER.windowMs)
      slice = { start, silent: 0, made: 0 }
      this.#slices.push(slice)
    }
    slice.made++
    if (answered) return
    slice.silent++
    const made = this.#slices.reduce((sum, each) => sum + each.made, 0)
    const silent = this.#slices.reduce((sum, each) => sum + each.silent, 0)
    if (this.isClosed && made >= BREAKER.minAttempts && silent / made >= BREAKER.silentShare)
      this.#openUntilMs = nowMs + BREAKER.coolDownMs
  }
}
