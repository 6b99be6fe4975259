// The subscribers of this pod, by tracking ID, and the only place that sends them payments.
import { roomOf } from '@payment-tracking/contracts'
import type { PaymentFrame } from '@payment-tracking/signal'
import type { RealtimeMetrics } from '../metrics.js'
import { closeConnection, type EngineConnection } from '../sockets/engine-connection.js'
import { Ledger } from './ledger.js'

export interface Subscriber {
  readonly connection: EngineConnection
  /** only payments to this public key; null for all */
  recipient: string | null
}

export interface Room {
  readonly trackingId: string
  readonly ledger: Ledger
  readonly subscribers: Set<Subscriber>
}

export interface RoomsOptions {
  metrics: RealtimeMetrics
  maxQueuedPackets: number
  /** Asked before anything is sent: a pod that may have lost its seats sends nothing. */
  mayDeliver: () => boolean
  /** A payment came before its turn: some may be lost. */
  onGap: (room: Room) => void
}

export class Rooms {
  readonly #rooms = new Map<string, Room>()
  readonly #options: RoomsOptions

  constructor(options: RoomsOptions) {
    this.#options = options
  }

  get size(): number {
    return this.#rooms.size
  }

  all(): IterableIterator<Room> {
    return this.#rooms.values()
  }

  /** @param name as `roomOf` names it */
  has(name: string): boolean {
    return this.#rooms.has(name)
  }

  find(trackingId: string): Room | undefined {
    return this.#rooms.get(roomOf(trackingId))
  }

  /** From the moment this returns, the subscriber is sent what is announced. */
  join(trackingId: string, subscriber: Subscriber): Room {
    const name = roomOf(trackingId)
    let room = this.#rooms.get(name)
    if (!room) {
      room = { trackingId, ledger: new Ledger(), subscribers: new Set() }
      this.#rooms.set(name, room)
    }
    room.subscribers.add(subscriber)
    return room
  }

  leave(trackingId: string, subscriber: Subscriber): void {
    const name = roomOf(trackingId)
    const room = this.#rooms.get(name)
    if (room?.subscribers.delete(subscriber) && room.subscribers.size === 0) this.#rooms.delete(name)
  }

  /** A payment that Redis brought. */
  receive(name: string, frame: PaymentFrame): void {
    const room = this.#rooms.get(name)
    if (!room || !this.forward(room, frame)) return
    this.#options.metrics.lag.observe((Date.now() - frame.committedAtMs) / 1_000)
    if (room.ledger.hasGap) this.#options.onGap(room)
  }

  /**
   * Sends a payment to the room's subscribers unless it was sent before.
   * @returns false when it was not sent: the room had it, or this pod may not send now. In the second case
   *   the ledger does not count it, and healing brings it again.
   */
  forward(room: Room, frame: PaymentFrame): boolean {
    const { metrics, mayDeliver } = this.#options
    if (!mayDeliver()) {
      metrics.fenced.inc()
      return false
    }
    if (!room.ledger.note(frame.seq)) return false
    // No text beside the frame: the websocket transport writes the finished frame as it is.
    const options = { preEncoded: true, compress: false, wsPreEncodedFrame: [frame.wsFrame] }
    let sent = 0
    for (const { connection, recipient } of room.subscribers) {
      if (recipient !== null && recipient !== frame.recipient) continue
      if (this.#sendTo(connection, options)) sent++
    }
    metrics.deliveries.inc(sent)
    return true
  }

  #sendTo(connection: EngineConnection, options: object): boolean {
    if (connection.readyState !== 'open') return false
    // Not `bufferedAmount`: the queue of a stalled client grows here, before the WebSocket.
    if (connection.writeBuffer.length >= this.#options.maxQueuedPackets) {
      this.#options.metrics.closes.inc({ reason: 'SLOW_CONSUMER' })
      closeConnection(connection, 'SLOW_CONSUMER')
      return false
    }
    connection.write('', options)
    return true
  }
}
