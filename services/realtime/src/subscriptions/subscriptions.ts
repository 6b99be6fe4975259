// A subscription's way: prepared → open (in the room) → closed. Join first, then read, then acknowledge.
import { randomUUID } from 'node:crypto'
import type { SubscribeReply, SubscribeRequest } from '@payment-tracking/contracts'
import type { Logger } from '@payment-tracking/runtime'
import type { History } from '../history/history.js'
import type { RealtimeMetrics } from '../metrics.js'
import type { Rooms, Subscriber } from '../rooms/rooms.js'
import type { EngineConnection } from '../sockets/engine-connection.js'
import type { Refusal } from '../sockets/read-request.js'

export interface Subscription {
  readonly trackingId: string
  readonly address: string
  readonly subscriber: Subscriber
  slot: string | null
  closed: boolean
}

export interface SubscriptionsOptions {
  rooms: Rooms
  history: History
  metrics: RealtimeMetrics
  log: Logger
}

const UNAVAILABLE: Refusal = { code: 'UNAVAILABLE', message: 'try again in a few seconds' }

export class Subscriptions {
  readonly #options: SubscriptionsOptions

  constructor(options: SubscriptionsOptions) {
    this.#options = options
  }

  prepare(connection: EngineConnection, trackingId: string, address: string): Subscription {
    return { trackingId, address, subscriber: { connection, recipient: null }, slot: null, closed: false }
  }

  /** Takes a slot and joins the room; nothing happens when both are done. */
  async open(subscription: Subscription, _resume: string | undefined): Promise<'open' | Refusal> {
    if (subscription.slot !== null) return 'open'
    subscription.slot = randomUUID()
    this.#options.rooms.join(subscription.trackingId, subscription.subscriber)
    return Promise.resolve('open')
  }

  /** Reads what the client missed. */
  async read(
    subscription: Subscription,
    request: SubscribeRequest,
  ): Promise<Refusal | Extract<SubscribeReply, { ok: true }>> {
    const { rooms, history, metrics, log } = this.#options
    const { trackingId } = subscription
    try {
      const page = await history.read({
        trackingId,
        since: request.since ?? undefined,
        epoch: request.epoch ?? undefined,
        recipient: request.recipient ?? undefined,
      })
      const { head, epoch, recovered, payments, next } = page
      rooms.find(trackingId)?.ledger.baseline(head)
      if (request.since !== undefined) {
        metrics.recoveries.inc({ result: recovered ? 'recovered' : 'not-recovered' })
      }
      const resume = subscription.slot ?? ''
      return { ok: true, head, epoch, resume, recovered, replay: payments, more: next < head, next }
    } catch (err) {
      if (request.since !== undefined) metrics.recoveries.inc({ result: 'failed' })
      log.warn({ err, trackingId }, 'subscription.read-failed')
      return UNAVAILABLE
    }
  }

  close(subscription: Subscription): void {
    subscription.closed = true
    this.#options.rooms.leave(subscription.trackingId, subscription.subscriber)
  }
}
