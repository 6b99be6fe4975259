// Requests on the way to one endpoint, so that it cannot take all concurrency slots of the worker.
//
// An endpoint that has not answered yet, or that did not answer its last request, is on probation: only few requests to it may be
// in flight. Many hanging endpoints together thus occupy few slots before their breakers open. One answer ends the probation.
//
// Above the cap, a delivery first waits in memory for PATIENCE_MS, so that a burst passes without an update of its rows; and on while the
// endpoint answers, because then this process is what is slow, and deferring would only cost more. As many may wait as the endpoint
// answers in QUEUED_MS at its present speed: the time of requests counts, not that of claims. What cannot wait is deferred and frees
// its slot.
//
// Deferred deliveries return one after another, at the speed of the endpoint. While requests hang, that speed is a guess: the
// endpoint may answer again at any moment. So the returns are never further apart than LONGEST_STEP_MS: by the guess alone, payments
// of a hang of 30 s came up to 54 minutes after it.
import type { Clock, Deferral, EndpointLimits } from './permits.js'
import { Returns } from './returns.js'

const PROBATION = 4
/** How long a delivery waits in memory for a place of an endpoint that does not answer. */
const PATIENCE_MS = 250
/** How long at most, for any endpoint: before a sweeper misses it. */
const LONGEST_PATIENCE_MS = 3_000
/** Of what an endpoint answers in this time, all may wait; on probation a quarter. */
const QUEUED_MS = 500
/** The longest time between the returns of two deferred deliveries: 100 of them ask again in a second. */
const LONGEST_STEP_MS = 10
/** How much longer a delivery is deferred at most when no other one is: few that are deferred ask seldom. */
const LONGEST_BACKOFF_MS = 5_000
/** An endpoint hangs when a request takes this many times the average. */
const HANGING = 4

export interface Place {
  /** when its request began; null while its delivery is claimed */
  begunMs: number | null
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
  #answeredAtMs = -Infinity

  constructor(limits: EndpointLimits, clock: Clock) {
    this.#limits = limits
    this.#clock = clock
    this.#returns = new Returns(clock)
  }

  /** How many that were deferred may come now: none while all places are taken. */
  get room(): number {
    return this.#waiting.length === 0 && this.#places.size < this.#cap ? this.#queueLimit : 0
  }

  get isIdle(): boolean {
    return this.#places.size + this.#waiting.length === 0
  }

  /** Takes a place, or waits a moment for one. */
  async enter(): Promise<Place | Deferral> {
    if (this.#places.size < this.#cap) return this.start()
    if (this.#waiting.length >= this.#queueLimit) return this.#defer()
    const sinceMs = this.#clock.now()
    return new Promise(resolve => {
      const next = () => {
        clearInterval(timer)
        resolve(this.start())
      }
      const timer = setInterval(() => {
        if (this.#waitsOn(sinceMs)) return
        clearInterval(timer)
        this.#waiting.splice(this.#waiting.indexOf(next), 1)
        resolve(this.#defer())
      }, PATIENCE_MS)
      this.#waiting.push(next)
    })
  }

  #waitsOn(sinceMs: number): boolean {
    const now = this.#clock.now()
    return this.#isTrusted && now - this.#answeredAtMs < PATIENCE_MS && now - sinceMs < LONGEST_PATIENCE_MS
  }

  /** Takes a place, also above the cap. */
  start(): Place {
    const place = { begunMs: null }
    this.#places.add(place)
    return place
  }

  /** The request of a place leaves. */
  begin(place: Place): void {
    place.begunMs = this.#clock.now()
  }

  /** @param answered null when no request was made */
  leave(place: Place, answered: boolean | null): void {
    this.#places.delete(place)
    if (answered !== null) {
      const now = this.#clock.now()
      this.#isTrusted = answered
      this.#answeredAtMs = now
      this.#averageMs += (now - (place.begunMs ?? now) - this.#averageMs) / 8
    }
    while (this.#waiting.length > 0 && this.#places.size < this.#cap) this.#waiting.shift()!()
  }

  get #cap(): number {
    const { maxInFlight } = this.#limits
    return this.#isTrusted ? maxInFlight : Math.min(PROBATION, maxInFlight)
  }

  /** The present duration of a request. A hanging endpoint shows in this value before any request has ended. */
  get #answersInMs(): number {
    for (const { begunMs } of this.#places)
      if (begunMs !== null) {
        const ageMs = this.#clock.now() - begunMs
        return ageMs > HANGING * this.#averageMs ? ageMs : this.#averageMs
      }
    return this.#averageMs
  }

  get #queueLimit(): number {
    const withinMs = this.#isTrusted ? QUEUED_MS : QUEUED_MS / 4
    return Math.min(this.#limits.maxQueued, Math.ceil((this.#cap * withinMs) / this.#answersInMs))
  }

  #defer(): Deferral {
    // Twice the speed of the endpoint's answers, so that its queue never runs empty.
    const guessMs = this.#answersInMs / this.#cap / 2
    const stepMs = Math.max(Math.min(guessMs, LONGEST_STEP_MS), 1_000 / this.#limits.maxPerSecond)
    return this.#returns.next(
      'in-flight cap',
      PATIENCE_MS + Math.min(4 * guessMs, LONGEST_BACKOFF_MS),
      stepMs,
    )
  }
}
