import type { Clock, Deferral, DeferReason } from './permits.js'

const JITTER_MS = 500

/** Lets deferred deliveries of an endpoint come again one after another, however many they are. */
export class Returns {
  readonly #clock: Clock
  #lastMs = 0

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** @param atLeastMs from now @param stepMs after the one before */
  next(reason: DeferReason, atLeastMs: number, stepMs: number): Deferral {
    const now = this.#clock.now()
    this.#lastMs = Math.max(now + atLeastMs, this.#lastMs + stepMs)
    return { kind: 'defer', reason, forMs: Math.ceil(this.#lastMs - now + this.#clock.chance() * JITTER_MS) }
  }
}
