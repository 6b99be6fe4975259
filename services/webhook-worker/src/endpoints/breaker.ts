import { DeliveryBreaker } from '@payment-tracking/domain'
import type { Clock, Deferral, DeferReason } from './permits.js'
import { Returns } from './returns.js'

/** How long deliveries are deferred while a probe is on its way. */
const PROBE_DEFER_MS = 2_000
/** The time between two deferred deliveries: 100,000 that all asked again each minute delayed others by 2 s. */
const STEP_MS = 10

/** Sends nothing to an endpoint that does not answer, or asks for patience (domain/deliveries/delivery-breaker.ts). */
export class Breaker {
  readonly #breaker = new DeliveryBreaker()
  readonly #clock: Clock
  readonly #returns: Returns
  #pausedBy: DeferReason = 'rate cap'

  constructor(clock: Clock) {
    this.#clock = clock
    this.#returns = new Returns(clock)
  }

  get isClosed(): boolean {
    return this.#breaker.isClosed
  }

  get isOpen(): boolean {
    return this.#breaker.isOpen(this.#clock.now())
  }

  /** `probe`: the caller asks whether the endpoint is back, and must note its answer or forgo it. */
  ask(): 'go' | 'probe' | Deferral {
    const { kind } = this.#breaker.ask(this.#clock.now())
    return kind === 'defer' ? this.defer() : kind
  }

  defer(): Deferral {
    const reason = this.#breaker.isPaused ? this.#pausedBy : 'breaker open'
    const forMs = this.#breaker.openForMs(this.#clock.now()) || PROBE_DEFER_MS
    return this.#returns.next(reason, forMs, STEP_MS)
  }

  pause({ forMs, reason }: Deferral): void {
    this.#breaker.pause(this.#clock.now(), forMs)
    this.#pausedBy = reason
  }

  note(answered: boolean, isProbe: boolean): void {
    this.#breaker.note(this.#clock.now(), answered, isProbe)
  }

  forgoProbe(): void {
    this.#breaker.forgoProbe()
  }
}
