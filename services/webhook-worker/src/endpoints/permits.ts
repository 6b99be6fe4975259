// What a worker asks its limiter of endpoints, and what the limiter answers.

export interface EndpointLimits {
  /** requests of this process on the way to one endpoint */
  maxInFlight: number
  /** requests of this process a second */
  maxPerSecond: number
  /** the most deliveries that may wait in memory for one endpoint, however fast it answers: each occupies a slot of the worker */
  maxQueued: number
}

/** `now`: milliseconds from a clock that never goes back. */
export interface Clock {
  now: () => number
  chance: () => number
}

export type DeferReason =
  | 'in-flight cap'
  | 'rate cap'
  | 'breaker open'
  | 'proxy away'
  | 'proxy refused'
  /** since the claim */
  | 'endpoint changed'

/** What is deferred for this reason comes as soon as the endpoint answers and has room. Rates and breakers keep their pace. */
export const RECALLED: DeferReason = 'in-flight cap'

/** May not go now. */
export interface Deferral {
  kind: 'defer'
  forMs: number
  reason: DeferReason
}

/** Allows one request: the holder claims the delivery, begins its request, and leaves the permit. */
export interface Permit {
  kind: 'go'
  /** The delivery is claimed, and its request leaves. */
  begin(): void
  /**
   * Defers all that waits for the endpoint: it asked for patience, or the way to it is closed. Afterwards one delivery asks, and the
   * others wait for its answer. A pause of the rate holds in all workers.
   */
  pause(deferral: Deferral): Promise<void>
  /** The first call counts. @param answered whether the request got a status, of any kind; null when no request was made */
  leave(answered: boolean | null): void
}

export type Entry = Permit | Deferral

export interface EndpointLimiter {
  /**
   * Asks for a permit, and waits a moment for it.
   * @param isForced for a delivery that was deferred for so long that it must be tried now: neither the breaker nor a cap of this
   *   process defers it any more. The rate that its gateway chose still does
   */
  enter(webhookId: string, isForced?: boolean): Promise<Entry>
  /** Notes the rate that a gateway chose for its endpoint, as a claim has read it; null: none. */
  setRate(webhookId: string, perSecond: number | null): void
  /** Forgets what was learned of endpoints that were changed: another URL has another breaker, and another rate holds. */
  forget(webhookIds: readonly string[]): void
  /** Endpoints whose breaker is open. */
  countOpen(): number
  /** Forgets endpoints without recent requests. */
  forgetIdle(): void
}
