// What a worker asks its limiter of endpoints, and what the limiter answers.
import type { EndpointSign } from '@payment-tracking/domain'
import type { AnswerCounts, AnswerDelta } from '@payment-tracking/redis'

/** What a process knows of the others. */
export interface EndpointFleet {
  /** This process's part of a cap: 0 while it has none. */
  shareOf(cap: number, webhookId: string): number
  /** Its part of a rate, 0 to 1. */
  rateShare(): number
}

export interface EndpointLimits {
  maxInFlight: number
  maxPerSecond: number
  /**
   * the most deliveries that may wait for one endpoint, at any speed: each occupies a slot, and the endpoint may hang
   */
  maxQueued: number
  /**
   * how long after its pass a request may begin. A later request could still run when its claim has expired, and another worker
   * would send the delivery too. In a fleet, its part of the rate may belong to another process by then
   */
  beginWithinMs: number
}

export type HoldReason = 'in-flight cap' | 'rate cap' | 'breaker open' | 'proxy away'

/** The holder must leave a pass exactly once. */
export interface Pass {
  kind: 'go'
  /** the breaker lets this request through to learn whether the endpoint answers again */
  isProbe: boolean
  /**
   * Call this when the delivery is claimed. It waits until fewer requests are in flight than the cap allows.
   * @returns null: send now. Otherwise the reason why the delivery must not be sent now
   */
  begin(): Promise<Hold | null>
  /** @param sign null when no request was made */
  leave(sign: EndpointSign | null): void
}

export interface Hold {
  kind: 'hold'
  forMs: number
  reason: HoldReason
}

export type Entry = Pass | Hold

export interface EndpointLimiter {
  enter(webhookId: string): Promise<Entry>
  /**
   * For a delivery that was held for so long that it must be tried now: no breaker holds it any more. A cap that counts over
   * all processes still does.
   */
  force(webhookId: string): Entry
  /** Endpoints whose breaker is open. */
  countOpen(): number
  /** Forgets endpoints without recent requests. */
  forgetIdle(): void
  /** Whether the requests in flight are within the share of now, for every endpoint. */
  fits(): boolean
  /** The answers since the last call, by endpoint. */
  takeAnswers(): Map<string, AnswerDelta>
  /** Judges an endpoint by the answers to all processes. */
  judge(webhookId: string, counts: AnswerCounts): void
}
