// What a worker asks its limiter of endpoints, and what the limiter answers.

export interface EndpointLimits {
  maxInFlight: number
  maxPerSecond: number
  /** the most deliveries that may wait in memory for one endpoint, however fast it answers: each occupies a slot of the worker */
  maxQueued: number
  /**
   * the longest time from a permit to the beginning of its request. A later request could outlast its claim; then another worker
   * sends the delivery too
   */
  beginWithinMs: number
}

export type DeferReason = 'in-flight cap' | 'rate cap' | 'breaker open' | 'proxy away' | 'proxy refused'

/** The holder must leave a permit exactly once. */
export interface Permit {
  kind: 'go'
  /**
   * The gate between a claim and its request: call this when the delivery is claimed. Waits until the endpoint may be sent
   * one more request.
   * @param ratePerSecond what the gateway chose, as the claim read it; null: nothing
   * @returns null: send now. Otherwise why the claim must be given back
   */
  acquire(ratePerSecond: number | null): Promise<Deferral | null>
  /**
   * Defers all that waits for the endpoint: it asked for patience, or the way to it is closed. Afterwards one delivery asks, and the
   * others wait for its answer. A pause of the rate holds in all workers.
   */
  pause(deferral: Deferral): Promise<void>
  /** @param answered whether the request got a status, of any kind; null when no request was made */
  leave(answered: boolean | null): void
}

export interface Deferral {
  kind: 'defer'
  forMs: number
  reason: DeferReason
}

export type Entry = Permit | Deferral

export interface EndpointLimiter {
  enter(webhookId: string): Promise<Entry>
  /**
   * For a delivery that was deferred for so long that it must be tried now: neither the breaker nor a cap of this process defers it
   * any more. The rate that its gateway chose still does.
   */
  force(webhookId: string): Permit
  /** Endpoints whose breaker is open. */
  countOpen(): number
  /** Forgets endpoints without recent requests. */
  forgetIdle(): void
}
