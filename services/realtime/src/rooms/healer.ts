// Sends rooms the payments that Redis lost. Three events start healing: a payment that arrives before an earlier
// payment; a periodic comparison of all rooms with the store in one query, because a lost last payment leaves no gap;
// and `healAll`, after Redis came back or a fence was lifted.
import { toSocketPayment, toSocketRetraction, type CommittedPayment } from '@payment-tracking/contracts'
import { repeat, type Logger, type RepeatedTask } from '@payment-tracking/runtime'
import { frameOfPayment, frameOfRetraction } from '@payment-tracking/redis'
import { findStaleTrackings, readPaymentsBySeq } from '@payment-tracking/store/reads'
import { type Store } from '@payment-tracking/store/core'
import type { DatabaseEpoch } from '../history/database-epoch.js'
import type { RealtimeMetrics } from '../metrics.js'
import type { RetractionHealer } from './retraction-healer.js'
import type { Room, Rooms } from './rooms.js'

/** Several announcers may overtake each other by this much without a loss. */
const GRACE_MS = 300
const PAGE = 100
const COMPARE_SPREAD = 0.25
const STOP_WITHIN_MS = 1_000

/** The frame of a missed payment, or the retraction of a payment that was retracted before its announcement. */
function frameOf(payment: CommittedPayment): Buffer {
  const timestamp = Date.now()
  return payment.retracted
    ? frameOfRetraction({ type: 'retraction', data: toSocketRetraction(payment)!, timestamp })
    : frameOfPayment({ type: 'payment_notification', data: toSocketPayment(payment)!, timestamp })
}

export interface HealerOptions {
  rooms: Rooms
  store: Store
  metrics: RealtimeMetrics
  log: Logger
  intervalMs: number
  /** looks for missed retractions */
  retractions: Pick<RetractionHealer, 'check'>
  /** says whether what was read in an epoch may be sent */
  databaseEpoch: Pick<DatabaseEpoch, 'serves'>
}

export class Healer {
  readonly #options: HealerOptions
  /** Rooms that wait for a check, with the head that was seen last. */
  readonly #pending = new Map<Room, number>()
  /** the epoch that this pod serves; undefined before the first comparison */
  #epoch: string | undefined
  readonly #timers = new Set<NodeJS.Timeout>()
  #comparing: Promise<void> | undefined
  #stopped = false

  readonly #comparisons: RepeatedTask

  constructor(options: HealerOptions) {
    this.#options = options
    this.#comparisons = repeat({
      everyMs: options.intervalMs,
      spread: COMPARE_SPREAD,
      stopWithinMs: STOP_WITHIN_MS,
      run: () => this.healAll(),
      onError: () => {},
    })
  }

  start = () => this.#comparisons.start()

  async stop(): Promise<void> {
    this.#stopped = true
    for (const timer of this.#timers) clearTimeout(timer)
    await this.#comparisons.stop()
  }

  /** Compares every room once payments in flight have arrived. */
  healSoon(): void {
    this.#later(GRACE_MS, () => this.healAll())
  }

  /** A payment arrived before an earlier one. */
  noticeGap(room: Room): void {
    this.#consider(room, room.seqs.highest)
  }

  /** Compares every room with the store. Never rejects: the next interval repeats a failed comparison. */
  healAll(): Promise<void> {
    this.#comparing ??= this.#compare()
      .catch((err: unknown) => this.#options.log.warn({ err }, 'rooms.compare-failed'))
      .finally(() => (this.#comparing = undefined))
    return this.#comparing
  }

  async #compare(): Promise<void> {
    const { rooms, store, retractions, databaseEpoch } = this.#options
    const known = []
    for (const { trackingId, seqs } of rooms.all()) {
      if (seqs.contiguous !== null) known.push({ trackingId, seq: seqs.contiguous })
    }
    const { epoch, stale } = await findStaleTrackings(store, known)
    if (!databaseEpoch.serves(epoch)) return
    this.#epoch = epoch
    for (const { trackingId, seq } of stale) {
      const room = rooms.find(trackingId)
      if (room) this.#consider(room, seq)
    }
    await retractions.check(epoch)
  }

  /** Looks again after GRACE_MS, when payments in flight have arrived. */
  #consider(room: Room, head: number): void {
    const seen = this.#pending.get(room)
    this.#pending.set(room, Math.max(seen ?? 0, head))
    if (seen === undefined) this.#later(GRACE_MS, () => this.#heal(room))
  }

  async #heal(room: Room): Promise<void> {
    const { rooms, store, metrics, log } = this.#options
    const head = this.#pending.get(room) ?? 0
    this.#pending.delete(room)
    let healed = 0
    try {
      for (;;) {
        const stretch = room.seqs.missing(head, PAGE)
        if (stretch === null || rooms.find(room.trackingId) !== room) break
        const ranges = [{ trackingId: room.trackingId, ...stretch }]
        const payments = await readPaymentsBySeq(store, ranges, this.#epoch)
        if (payments.length === 0) break
        for (const payment of payments) {
          const data = toSocketPayment(payment)!
          const frame = {
            seq: data.seq,
            recipient: data.recipient,
            committedAtMs: 0,
            wsFrame: frameOf(payment),
          }
          if (!rooms.forward(room, frame) && room.seqs.missing(data.seq, 1)?.from === data.seq) return
          healed++
        }
      }
    } catch (err) {
      log.warn({ err, trackingId: room.trackingId }, 'room.heal-failed')
    } finally {
      if (healed > 0) {
        metrics.healed.inc(healed)
        log.info({ trackingId: room.trackingId, healed, head }, 'room.healed')
      }
    }
  }

  #later(delayMs: number, work: () => Promise<void>): void {
    if (this.#stopped) return
    const timer = setTimeout(() => {
      this.#timers.delete(timer)
      void work()
    }, delayMs)
    this.#timers.add(timer)
  }
}
