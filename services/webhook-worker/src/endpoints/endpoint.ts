// What a worker remembers of one endpoint.
import { DeliveryBreaker } from '@payment-tracking/domain'
import type { Entry, DeferReason } from './permits.js'
import { PatientQueue } from './patient-queue.js'

export interface Endpoint {
  webhookId: string
  /** the rate that the gateway chose, as the last claim read it; null: none, or nothing was claimed yet */
  ratePerSecond: number | null
  breaker: DeliveryBreaker
  /** why the breaker was paused last */
  pausedBy: DeferReason
  /** permits that were not left: deliveries that are claimed, or whose requests are in flight */
  permits: number
  /** requests in flight, oldest first */
  inFlight: Set<Request>
  /** claimed deliveries that wait for a request to end */
  claimed: PatientQueue<Request | null>
  trusted: boolean
  /** deliveries that wait in memory for a permit */
  queue: PatientQueue<Entry>
  /** the earliest time of the next request under the rate cap */
  nextAtMs: number
  /** when the next deferred delivery may return: one after another, at the speed of the endpoint */
  nextReturnMs: number
  averageMs: number
  answeredAtMs: number
  /** the average time from a permit to its claim */
  claimMs: number
  usedAtMs: number
}

export interface Request {
  startedMs: number
}

/** An endpoint that was never asked. @param patienceMs how long its deliveries may wait in memory */
export const newEndpoint = (webhookId: string, patienceMs: number): Endpoint => ({
  webhookId,
  ratePerSecond: null,
  breaker: new DeliveryBreaker(),
  pausedBy: 'rate cap',
  permits: 0,
  inFlight: new Set(),
  claimed: new PatientQueue(patienceMs),
  trusted: false,
  queue: new PatientQueue(patienceMs),
  nextAtMs: 0,
  nextReturnMs: 0,
  answeredAtMs: 0,
  averageMs: 100,
  claimMs: 0,
  usedAtMs: 0,
})
