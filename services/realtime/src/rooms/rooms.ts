// The subscribers of this pod, by tracking ID. Only this class sends payments to subscribers.
import { NO_SEQ, type PaymentFrame } from '@payment-tracking/redis'
import type { RealtimeMetrics } from '../metrics.js'
import {
  closeConnection,
  sendFrame,
  SharedFrame,
  type EngineConnection,
} from '../connections/engine-connection.js'
import { EventStream } from '../connections/event-stream.js'
import { SeqTracker } from './seq-tracker.js'

export interface Subscriber {
  /** of a socket, or a stream of server-sent events, which filters and orders by itself */
  readonly connection: EngineConnection | EventStream
  /** only payments to this public key; null for all */
  recipient: string | null
  /** also what happens to policies */
  events: boolean
  /** the expected payment that it follows, and the last change that it was sent */
  expectation: { readonly id: string; sent: number } | null
  /** what arrived before the subscription was answered; null afterwards */
  heldBack: SharedFrame[] | null
}

export interface Room {
  readonly trackingId: string
  readonly seqs: SeqTracker
  readonly subscribers: Set<Subscriber>
}

export interface RoomsOptions {
  metrics: RealtimeMetrics
  maxQueuedPackets: number
  /** Checked before each send: a pod that may have lost its seats sends nothing. */
  mayDeliver: () => boolean
}

export class Rooms {
  readonly #rooms = new Map<string, Room>()
  readonly #options: RoomsOptions
  #sent = 0

  constructor(options: RoomsOptions) {
    this.#options = options
  }

  all(): IterableIterator<Room> {
    return this.#rooms.values()
  }

  find(trackingId: string): Room | undefined {
    return this.#rooms.get(trackingId)
  }

  /** After this returns, the subscriber receives every announced payment. */
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

  /**
   * Sends a payment to the room's subscribers unless it was sent before; sends a retraction in any case.
   * @returns false when the payment was not sent: the room had the payment already, or this pod may not send now. In
   *   the second case, `seqs` does not count the payment, and healing sends it again.
   */
  forward(room: Room, frame: PaymentFrame): boolean {
    const { metrics, mayDeliver } = this.#options
    if (!mayDeliver()) {
      metrics.fenced.inc()
      return false
    }
    if (frame.seq !== NO_SEQ && !room.seqs.note(frame.seq)) return false
    const frames = new SharedFrame(frame.wsFrame)
    for (const subscriber of room.subscribers) this.#send(subscriber, frame.recipient, frames)
    return true
  }

  /**
   * Sends what happened to a policy to the subscribers who asked for it.
   * @returns false when this pod may not send now
   */
  sendLifecycle(room: Room, recipient: string | null, wsFrame: Buffer): boolean {
    const { metrics, mayDeliver } = this.#options
    if (!mayDeliver()) {
      metrics.fenced.inc()
      return false
    }
    const frame = new SharedFrame(wsFrame)
    for (const subscriber of room.subscribers) if (subscriber.events) this.#send(subscriber, recipient, frame)
    return true
  }

  /**
   * Sends a change of an expected payment to the subscribers who follow it and were sent no later one. A pod that may not
   * send now leaves the change to a check.
   */
  sendExpectation(room: Room, { id, changes }: { id: string; changes: number }, frameOf: () => Buffer): void {
    const { metrics, mayDeliver } = this.#options
    const unsent = [...room.subscribers].filter(
      ({ expectation }) => expectation?.id === id && expectation.sent < changes,
    )
    if (unsent.length === 0) return
    if (!mayDeliver()) {
      metrics.fenced.inc()
      return
    }
    const frame = new SharedFrame(frameOf())
    for (const subscriber of unsent) {
      subscriber.expectation!.sent = changes
      this.#send(subscriber, subscriber.recipient, frame)
    }
  }

  /** The subscription was answered: sends what was held back, in order, and holds nothing back any more. */
  release(subscriber: Subscriber): void {
    const { connection, heldBack } = subscriber
    subscriber.heldBack = null
    if (!heldBack?.length || connection instanceof EventStream || connection.readyState !== 'open') return
    const { metrics, mayDeliver } = this.#options
    // The room counts these frames as sent, so the client must come back for them.
    if (!mayDeliver()) return closeConnection(connection, 'SLOW_CONSUMER', metrics)
    for (const frame of heldBack) sendFrame(connection, frame)
    this.#sent += heldBack.length
  }

  #send(subscriber: Subscriber, recipient: string | null, frame: SharedFrame): void {
    const { connection, recipient: wanted, heldBack } = subscriber
    if (connection instanceof EventStream) {
      connection.receive(frame.now[0]!, recipient)
      this.#sent++
      return
    }
    if (connection.readyState !== 'open' || (wanted !== null && wanted !== recipient)) return
    const { metrics, maxQueuedPackets } = this.#options
    if (connection.writeBuffer.length + (heldBack?.length ?? 0) >= maxQueuedPackets) {
      closeConnection(connection, 'SLOW_CONSUMER', metrics)
      return
    }
    if (heldBack !== null) {
      heldBack.push(frame)
      return
    }
    sendFrame(connection, frame)
    this.#sent++
  }

  /**
   * Adds the deliveries since the last call to the counter. Updating the counter for each delivery would be too slow.
   */
  countDeliveries(): void {
    this.#options.metrics.deliveries.inc(this.#sent)
    this.#sent = 0
  }
}
