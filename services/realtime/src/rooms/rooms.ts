// The subscribers of this pod, by tracking ID, and the only place that sends them payments.
import { NO_SEQ, type PaymentFrame } from '@payment-tracking/redis'
import type { RealtimeMetrics } from '../metrics.js'
import {
  closeConnection,
  sendFrame,
  SharedFrame,
  type EngineConnection,
} from '../connections/engine-connection.js'
import { SeqTracker } from './seq-tracker.js'

export interface Subscriber {
  readonly connection: EngineConnection
  /** only payments to this public key; null for all */
  recipient: string | null
}

export interface Room {
  readonly trackingId: string
  readonly seqs: SeqTracker
  readonly subscribers: Set<Subscriber>
}

export interface RoomsOptions {
  metrics: RealtimeMetrics
  maxQueuedPackets: number
  /** Asked before anything is sent: a pod that may have lost its seats sends nothing. */
  mayDeliver: () => boolean
  /** A payment arrived before an earlier one: some may be lost. */
  onGap: (room: Room) => void
  /** A retraction that Redis brought was forwarded. */
  onRetraction: (frame: PaymentFrame) => void
}

export class Rooms {
  readonly #rooms = new Map<string, Room>()
  readonly #options: RoomsOptions
  #sent = 0
  #lagAtMs = 0

  constructor(options: RoomsOptions) {
    this.#options = options
  }

  all(): IterableIterator<Room> {
    return this.#rooms.values()
  }

  find(trackingId: string): Room | undefined {
    return this.#rooms.get(trackingId)
  }

  /** From the moment this returns, the subscriber is sent what is announced. */
  join(trackingId: string, subscriber: Subscriber): Room {
    let room = this.#rooms.get(trackingId)
    if (!room) {
      room = { trackingId, seqs: new SeqTracker(), subscribers: new Set() }
      this.#rooms.set(trackingId, room)
    }
    room.subscribers.add(subscriber)
    return room
  }

  leave(trackingId: string, subscriber: Subscriber): void {
    const room = this.#rooms.get(trackingId)
    if (room?.subscribers.delete(subscriber) && room.subscribers.size === 0) this.#rooms.delete(trackingId)
  }

  /** A payment that Redis brought. */
  receive(room: Room, frame: PaymentFrame): void {
    if (!this.forward(room, frame)) return
    if (frame.seq === NO_SEQ) this.#options.onRetraction(frame)
    // Once a millisecond: those that came together were emitted together.
    const nowMs = Date.now()
    if (nowMs !== this.#lagAtMs) {
      this.#lagAtMs = nowMs
      this.#options.metrics.lag.observe((nowMs - frame.committedAtMs) / 1_000)
    }
    if (room.seqs.hasGap) this.#options.onGap(room)
  }

  /**
   * Sends a payment to the room's subscribers unless it was sent before; a retraction whenever it comes.
   * @returns false when it was not sent: the room had it, or this pod may not send now. In the second case
   *   `seqs` does not count it, and healing sends it again.
   */
  forward(room: Room, frame: PaymentFrame): boolean {
    const { metrics, mayDeliver, maxQueuedPackets } = this.#options
    if (!mayDeliver()) {
      metrics.fenced.inc()
      return false
    }
    if (frame.seq !== NO_SEQ && !room.seqs.note(frame.seq)) return false
    const frames = new SharedFrame(frame.wsFrame)
    for (const { connection, recipient } of room.subscribers) {
      if (connection.readyState !== 'open' || (recipient !== null && recipient !== frame.recipient)) continue
      if (connection.writeBuffer.length >= maxQueuedPackets) {
        closeConnection(connection, 'SLOW_CONSUMER', metrics)
        continue
      }
      sendFrame(connection, frames)
      this.#sent++
    }
    return true
  }

  /** Adds what was sent since the last call to the counter; a counter is too slow to be told each time. */
  countDeliveries(): void {
    this.#options.metrics.deliveries.inc(this.#sent)
    this.#sent = 0
  }
}
