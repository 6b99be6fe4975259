// Sends rooms the retractions that Redis lost. A retraction has no `seq`, so a lost retraction leaves no gap. The
// healer reads all recent retractions from the store and omits those that this pod has forwarded. Later subscribers get
// retractions in the answer to their subscription.
import { toSocketRetraction, type CommittedPayment } from '@payment-tracking/contracts'
import { frameOfRetraction, NO_SEQ } from '@payment-tracking/redis'
import { readRecentRetractions } from '@payment-tracking/store/reads'
import { type Store } from '@payment-tracking/store/core'
import type { RealtimeMetrics } from '../metrics.js'
import type { Rooms } from './rooms.js'

/** A retraction gets its time before its transaction commits, and the commit may take a minute. */
const COMMIT_MARGIN_MS = 70_000

export interface RetractionHealerOptions {
  rooms: Rooms
  store: Store
  metrics: Pick<RealtimeMetrics, 'healed'>
}

export class RetractionHealer {
  readonly #options: RetractionHealerOptions
  /** event id → time of the forwarding, by the clock of this process */
  readonly #forwarded = new Map<string, number>()
  /** events whose retraction this healer sent, and whose announcement did not come yet */
  readonly #ahead = new Set<string>()
  #checkedAt = performance.now()

  constructor(options: RetractionHealerOptions) {
    this.#options = options
  }

  /** Records a forwarded retraction. */
  note(eventId: string): void {
    this.#forwarded.set(eventId, performance.now())
  }

  /** Whether a check sent this retraction before its announcement. True once: the next announcement is a new one. */
  wasAhead(eventId: string): boolean {
    return this.#ahead.delete(eventId)
  }

  /**
   * Forwards the retractions missed since the last successful check.
   * @param epoch that this pod serves
   * @throws StoreUnavailableError
   */
  async check(epoch: string): Promise<void> {
    const { rooms, store, metrics } = this.#options
    const startedAt = performance.now()
    const withinMs = startedAt - this.#checkedAt + COMMIT_MARGIN_MS
    let healed = 0
    let isFenced = false
    for await (const page of readRecentRetractions(store, withinMs, epoch))
      for (const payment of page) {
        if (this.#forwarded.has(payment.eventId)) continue
        const room = rooms.find(payment.trackingId!)
        if (room && !rooms.forward(room, toFrame(payment))) isFenced = true
        else {
          this.note(payment.eventId)
          if (!room) continue
          this.#ahead.add(payment.eventId)
          healed++
        }
      }
    metrics.healed.inc(healed)
    // The next check repeats retractions that the fence held back.
    if (!isFenced) this.#checkedAt = startedAt
    for (const [eventId, at] of this.#forwarded)
      if (at < startedAt - 2 * withinMs) {
        this.#forwarded.delete(eventId)
        this.#ahead.delete(eventId)
      }
  }
}

const toFrame = (payment: CommittedPayment) => ({
  seq: NO_SEQ,
  recipient: payment.recipient,
  committedAtMs: 0,
  wsFrame: frameOfRetraction({
    type: 'retraction' as const,
    data: toSocketRetraction(payment)!,
    timestamp: Date.now(),
  }),
})
