// Brings rooms the retractions that Redis lost. A retraction has no `seq`, so no hole tells of a lost one: the store is
// asked for all of late, and what this pod has forwarded is left out. Subscribers that come later are told by their
// subscription.
import { toSocketRetraction, type CommittedPayment } from '@payment-tracking/contracts'
import { frameOfRetraction, NO_SEQ } from '@payment-tracking/redis'
import { readRecentRetractions, type Store } from '@payment-tracking/store'
import type { RealtimeMetrics } from '../metrics.js'
import type { Rooms } from './rooms.js'

/** A retraction is stamped before its transaction commits, which may take a minute. */
const COMMIT_MARGIN_MS = 70_000

export interface RetractionHealerOptions {
  rooms: Rooms
  store: Store
  metrics: Pick<RealtimeMetrics, 'healed'>
}

export class RetractionHealer {
  readonly #options: RetractionHealerOptions
  /** event id → when it was told, by the clock of this process */
  readonly #told = new Map<string, number>()
  #lookedAt = performance.now()

  constructor(options: RetractionHealerOptions) {
    this.#options = options
  }

  /** A retraction was forwarded. */
  note(eventId: string): void {
    this.#told.set(eventId, performance.now())
  }

  /** Forwards what was missed since the last look that succeeded. @throws StoreUnavailableError */
  async look(): Promise<void> {
    const { rooms, store, metrics } = this.#options
    const startedAt = performance.now()
    const withinMs = startedAt - this.#lookedAt + COMMIT_MARGIN_MS
    const recent = await readRecentRetractions(store, withinMs)
    let healed = 0
    let isFenced = false
    for (const payment of recent) {
      if (this.#told.has(payment.eventId)) continue
      const room = rooms.find(payment.trackingId!)
      if (room && !rooms.forward(room, toFrame(payment))) isFenced = true
      else {
        this.note(payment.eventId)
        if (room) healed++
      }
    }
    metrics.healed.inc(healed)
    // What the fence held back is looked for again.
    if (!isFenced) this.#lookedAt = startedAt
    for (const [eventId, at] of this.#told) if (at < startedAt - 2 * withinMs) this.#told.delete(eventId)
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
