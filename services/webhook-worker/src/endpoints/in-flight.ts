// Requests on the way to one endpoint, so that it cannot take all concurrency slots of the worker.
//
// An endpoint that has not answered yet, or that did not answer its last request, is on probation: only few requests to it may be
// in flight. Many hanging endpoints together thus occupy few slots before their breakers open. One answer ends the probation.
//
// Above the cap, a delivery first waits in memory for PATIENCE_MS, so that a burst passes without an update of its rows. As many may
// wait as the endpoint answers in QUEUED_MS at its present speed. What cannot wait is deferred and frees its slot.
//
// Deferred deliveries return one after another, at the speed of the endpoint. While requests hang, that speed is a guess: the
// endpoint may answer again at any moment. So the returns are never further apart than LONGEST_STEP_MS: by the guess alone, payments
// of a hang of 30 s came up to 54 minutes after it.
import type { Clock, Deferral, EndpointLimits } from './permits.js'
import { Returns } from './returns.js'

const PROBATION = 4
/** How long a delivery waits in memory for a place. */
const PATIENCE_MS = 500
/** Of what an endpoint answers in this time, all may wait; on probation a half. */
const QUEUED_MS = 250
/** The longest time between the returns of two deferred deliveries: 100 of them ask again in a second. */
const LONGEST_STEP_MS = 10
/** How much longer a delivery is deferred at most when no other one is: few that are deferred ask seldom. */
const LONGEST_BACKOFF_MS = 5_000
/** An endpoint hangs when a request takes this many times the average. */
const HANGING = 4

export interface Place {
  startedMs: number
}

export class InFlight {
  readonly #limits: EndpointLimits
  readonly #clock: Clock
  readonly #returns: Returns
  /** oldest first */
  readonly #places = new Set<Place>()
  readonly #waiting: (() => void)[] = []
  #isTrusted = false
  #averageMs = 100

  constructor(limits: EndpointLimits, clock: Clock) {
    this.#limits = limits
    this.#clock = clock
    this.#returns = new Returns(clock)
  }

  get isIdle(): boolean {
    return this.#places.size + this.#waiting.length === 0
  }

  /** Takes a place, or waits a moment for one. */
  async enter(): Promise<Place | Deferral> {
    if (this.#places.size < this.#cap) return this.start()
    if (this.#waiting.length >= this.#queueLimit) return this.#defer()
    return new Promise(resolve => {
      const next = () => {
        clearTimeout(timer)
        resolve(this.start())
      }
      const timer = setTimeout(() => {
        this.#waiting.splice(this.#waiting.indexOf(next), 1)
        resolve(this.#defer())
      }, PATIENCE_MS)
      this.#waiting.push(next)
    })
  }

  /** Takes a place, also above the cap. */
  start(): Place {
    const place = { startedMs: this.#clock.now() }
    this.#places.add(place)
    return place
  }

  /** @param answered null when no request was made */
  leave(place: Place, answered: boolean | null): void {
    this.#places.delete(place)
    if (answered !== null) {
      this.#isTrusted = answered
      this.#averageMs += (this.#clock.now() - place.startedMs - this.#averageMs) / 8
    }
    while (this.#waiting.length > 0 && this.#places.size < this.#cap) this.#waiting.shift()!()
  }

  get #cap(): number {
    const { maxInFlight } = this.#limits
    return this.#isTrusted ? maxInFlight : Math.min(PROBATION, maxInFlight)
  }

  /** The present duration of a request. A hanging endpoint shows in this value before any request has ended. */
  get #answersInMs(): number {
    const [oldest] = this.#places
    const ageMs = oldest === undefined ? 0 : this.#clock.now() - oldest.startedMs
    return ageMs > HANGING * this.#averageMs ? ageMs : this.#averageMs
  }

  get #queueLimit(): number {
    const withinMs = this.#isTrusted ? QUEUED_MS : QUEUED_MS / 2
    return Math.min(this.#limits.maxQueued, Math.ceil((this.#cap * withinMs) / this.#answersInMs))
  }

  #defer(): Deferral {
    // Twice the speed of the endpoint's answers, so that its queue never runs empty.
    const guessMs = this.#answersInMs / this.#cap / 2
    const stepMs = Math.max(Math.min(guessMs, LONGEST_STEP_MS), 1_000 / this.#limits.maxPerSecond)
    return this.#returns.next('in-flight cap', QUEUED_MS + Math.min(4 * guessMs, LONGEST_BACKOFF_MS), stepMs)
  }
}
