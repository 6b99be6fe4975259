// The states of a subscription:
//
//   prepared --seat granted, room joined--> open --unsubscribed, disconnected or seat lost--> closed
//
// Join first, then read, then acknowledge: the answer holds every payment that commits before the read, and the room
// brings every later payment. Until the answer, the room keeps payments back: only the answer tells the client which
// database they are of.
import type { SocketRetraction, SubscribeReply, SubscribeRequest } from '@payment-tracking/contracts'
import type { Logger } from '@payment-tracking/runtime'
import type { Seat, Seats } from '@payment-tracking/redis'
import type { History } from '../history/history.js'
import type { RealtimeMetrics } from '../metrics.js'
import type { ExpectationWatch } from '../rooms/expectation-watch.js'
import type { LifecycleWatch } from '../rooms/lifecycle-watch.js'
import type { Rooms, Subscriber } from '../rooms/rooms.js'
import type { Refusal } from './read-request.js'

export interface Subscription {
  readonly trackingId: string
  /** the client's address and the networks around it, the narrowest first */
  readonly networks: readonly string[]
  readonly subscriber: Subscriber
  /** Another connection took the seat. The subscription is closed before this call. */
  readonly onLost: (subscription: Subscription, refusal: Refusal) => void
  state: 'prepared' | 'open' | 'closed'
  seat: Seat | null
}

export interface SubscriptionsOptions {
  rooms: Rooms
  seats: Seats
  history: History
  lifecycle: Pick<LifecycleWatch, 'watch'>
  expectations: Pick<ExpectationWatch, 'watch'>
  /** whether what was read in this epoch may be sent */
  serves: (epoch: string) => boolean
  metrics: RealtimeMetrics
  log: Logger
  /** connections of a tracking ID, over all pods */
  limit: number
  /** the part of `limit` that one address may hold; a /56 of IPv6 twice, a /48 four times as much */
  addressLimit: number
}

/** A page without a seat goes on: asking needs none. */
const ASK_INSTEAD = 'ask GET /v1/payments/check every few seconds'
const UNAVAILABLE: Refusal = { code: 'UNAVAILABLE', message: 'try again in a few seconds' }
const FULL: Refusal = {
  code: 'TOO_MANY_CONNECTIONS',
  message: `this tracking ID has as many connections as it may have; ${ASK_INSTEAD}`,
}
const ADDRESS_FULL: Refusal = {
  code: 'TOO_MANY_CONNECTIONS',
  message: `this tracking ID has as many connections from your network as it may have; ${ASK_INSTEAD}`,
}
const NO_EXPECTATION: Refusal = {
  code: 'INVALID_REQUEST',
  message: 'expectation is no expectation of this tracking ID',
}
const TAKEN_OVER: Refusal = {
  code: 'TOO_MANY_CONNECTIONS',
  message: 'another connection resumed this subscription',
}

export class Subscriptions {
  readonly #options: SubscriptionsOptions

  constructor(options: SubscriptionsOptions) {
    this.#options = options
  }

  prepare(
    connection: Subscriber['connection'],
    trackingId: string,
    networks: readonly string[],
    onLost: Subscription['onLost'],
  ): Subscription {
    const subscriber = { connection, recipient: null, events: false, expectation: null, heldBack: [] }
    return { trackingId, networks, subscriber, onLost, state: 'prepared', seat: null }
  }

  /** Takes a seat and joins the room. An open subscription does not change. */
  async open(subscription: Subscription, resume: string | undefined): Promise<'open' | Refusal> {
    if (subscription.state === 'open') return 'open'
    const { rooms, seats, limit, addressLimit } = this.#options
    const { trackingId, networks } = subscription
    const answer = await seats.acquire({
      name: `tracking:${trackingId}`,
      limit,
      networks,
      addressLimit,
      resume,
      onLost: reason => {
        this.close(subscription)
        subscription.onLost(subscription, reason === 'full' ? FULL : TAKEN_OVER)
      },
    })
    if ('refused' in answer) {
      if (answer.refused === 'unavailable') return UNAVAILABLE
      return answer.refused === 'full' ? FULL : ADDRESS_FULL
    }
    // The seat request uses the network: meanwhile the client may leave, or the seat may be lost.
    const gone = subscription.subscriber.connection.readyState !== 'open'
    if ((subscription.state as Subscription['state']) === 'closed' || gone) {
      answer.seat.release()
      return UNAVAILABLE
    }
    subscription.seat = answer.seat
    subscription.state = 'open'
    rooms.join(trackingId, subscription.subscriber)
    return 'open'
  }

  /**
   * Reads the payments that the client missed, and the retractions of payments that the client has. The room is joined.
   * @param options.isFirst of several pages in a row only the first needs the retractions: the room brings later ones
   */
  async read(
    subscription: Subscription,
    request: SubscribeRequest,
    { isFirst = true } = {},
  ): Promise<Refusal | { reply: Extract<SubscribeReply, { ok: true }>; retractions: SocketRetraction[] }> {
    const { rooms, history, lifecycle, expectations, serves, metrics, log } = this.#options
    const { trackingId } = subscription
    const since = request.since ?? undefined
    try {
      const asked = {
        trackingId,
        since,
        epoch: request.epoch ?? undefined,
        recipient: request.recipient ?? undefined,
      }
      if (subscription.subscriber.events) await lifecycle.watch(trackingId)
      const followed = request.expectation ?? null
      const expectation =
        followed === null
          ? undefined
          : await expectations.watch(subscription.subscriber, trackingId, followed)
      if (expectation === null) return NO_EXPECTATION
      const page = await history.read(asked)
      // The room's payments are of the epoch before: the pod ends, and the client comes back.
      if (!serves(page.epoch)) return UNAVAILABLE
      const retractions = page.recovered && isFirst ? await history.readRetractions(asked, page.epoch) : []
      const { head, epoch, recovered, payments, next } = page
      rooms.find(trackingId)?.seqs.baseline(head)
      if (since !== undefined) metrics.recoveries.inc({ result: recovered ? 'recovered' : 'not-recovered' })
      // The seat was lost during the read. `onLost` has notified the client already.
      if (subscription.state !== 'open') return UNAVAILABLE
      const resume = subscription.seat!.resume
      const reply = {
        ok: true as const,
        head,
        epoch,
        resume,
        recovered,
        replay: payments,
        more: next < head,
        next,
        ...(expectation && { expectation }),
      }
      return { reply, retractions }
    } catch (err) {
      if (since !== undefined) metrics.recoveries.inc({ result: 'failed' })
      log.warn({ err, trackingId }, 'subscription.read-failed')
      return UNAVAILABLE
    }
  }

  /** The answer was sent: sends the payments that the room kept back, and keeps no more. */
  begin({ state, subscriber }: Subscription): void {
    if (state === 'open') this.#options.rooms.release(subscriber)
  }

  /**
   * Afterwards the subscriber receives nothing of this subscription. The seat is released in the background. A second
   * call does nothing.
   */
  close(subscription: Subscription): void {
    if (subscription.state === 'closed') return
    subscription.state = 'closed'
    this.#options.rooms.leave(subscription.trackingId, subscription.subscriber)
    subscription.seat?.release()
    subscription.seat = null
  }
}
