// Forwards announced payments and retractions to rooms. When a payment arrives before an earlier one, the healer looks for the
// earlier one.
import { eventIdOfRetraction, NO_SEQ, type PaymentFrame } from '@payment-tracking/redis'
import type { RealtimeMetrics } from '../metrics.js'
import type { Healer } from './healer.js'
import type { RetractionHealer } from './retraction-healer.js'
import type { Room, Rooms } from './rooms.js'

export interface IncomingOptions {
  rooms: Pick<Rooms, 'forward'>
  healer: Pick<Healer, 'noticeGap'>
  retractions: Pick<RetractionHealer, 'note' | 'wasAhead'>
  metrics: Pick<RealtimeMetrics, 'lag'>
}

export class Incoming {
  readonly #options: IncomingOptions
  #lagAtMs = 0

  constructor(options: IncomingOptions) {
    this.#options = options
  }

  /** Forwards a payment or a retraction, unless healing sent the retraction before its announcement came. */
  receive(room: Room, frame: PaymentFrame): void {
    const { rooms, healer, retractions, metrics } = this.#options
    const isRetraction = frame.seq === NO_SEQ
    if (isRetraction && retractions.wasAhead(eventIdOfRetraction(frame.wsFrame))) return
    if (!rooms.forward(room, frame)) return
    if (isRetraction) retractions.note(eventIdOfRetraction(frame.wsFrame))
    // Measured once a millisecond: payments that arrive together were emitted together.
    const nowMs = Date.now()
    if (nowMs !== this.#lagAtMs) {
      this.#lagAtMs = nowMs
      metrics.lag.observe((nowMs - frame.committedAtMs) / 1_000)
    }
    // An earlier payment has not arrived yet, and may be lost.
    if (room.seqs.hasGap) healer.noticeGap(room)
  }
}
