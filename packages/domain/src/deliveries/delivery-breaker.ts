// Stops sending to an endpoint that mostly fails, so that its failures do not delay other endpoints, and to one that asks for
// patience.
//
// closed     attempts are allowed; opens when at least 70 % of 10 or more in the last 5 minutes failed, or by a pause
// open       no attempt is allowed for 60 s, or for as long as the pause
// half-open  one attempt is allowed as a probe: a failure opens again, any other answer closes
//
// A refusal is not counted (endpoint-sign.ts). As a probe it closes: the endpoint answers again.

import type { EndpointSign } from './endpoint-sign.js'

export const BREAKER = {
  windowMs: 300_000,
  minAttempts: 10,
  failureShare: 0.7,
  coolDownMs: 60_000,
} as const

/** Whether an attempt is allowed now. `holdMs` is the time for which none will be allowed. */
export type BreakerAnswer = { kind: 'go' } | { kind: 'probe' } | { kind: 'hold'; holdMs: number }

/** The window is kept in slices, so that its memory does not grow with the number of attempts. */
const SLICE_MS = 10_000

/** Time comes in as an argument, in milliseconds that never go back. */
export class DeliveryBreaker {
  #slices: { start: number; failed: number; made: number }[] = []
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
    if (this.isOpen(nowMs)) return { kind: 'hold', holdMs: this.openForMs(nowMs) }
    if (this.#probing) return { kind: 'hold', holdMs: 0 }
    this.#probing = true
    return { kind: 'probe' }
  }

  /** Gives back a probe that was allowed and not made. */
  forgoProbe(): void {
    this.#probing = false
  }

  note(nowMs: number, sign: EndpointSign, probe: boolean): void {
    if (probe) {
      this.#probing = false
      this.#isPaused = false
      this.#slices = []
      this.#openUntilMs = sign === 'failure' ? nowMs + BREAKER.coolDownMs : null
      return
    }
    if (sign === 'refusal') return
    // Attempts that started before the breaker opened are counted, and change no state while it is open.
    const start = Math.floor(nowMs / SLICE_MS) * SLICE_MS
    let slice = this.#slices.at(-1)
    if (slice?.start !== start) {
      this.#slices = this.#slices.filter(old => old.start > nowMs - BREAKER.windowMs)
      slice = { start, failed: 0, made: 0 }
      this.#slices.push(slice)
    }
    slice.made++
    if (sign === 'success') return
    slice.failed++
    const made = this.#slices.reduce((sum, each) => sum + each.made, 0)
    const failed = this.#slices.reduce((sum, each) => sum + each.failed, 0)
    if (this.#openUntilMs === null && made >= BREAKER.minAttempts && failed / made >= BREAKER.failureShare)
      this.#openUntilMs = nowMs + BREAKER.coolDownMs
  }
}
