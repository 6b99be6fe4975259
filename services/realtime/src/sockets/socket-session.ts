// One client's connection: its requests and its subscriptions. Requests about one tracking ID run in order, so that
// after a subscribe and an unsubscribe sent together the later request decides.
import type {
  ClientToServerEvents,
  RefusalData,
  ServerToClientEvents,
  SubscribeReply,
  SubscribeRequest,
  UnsubscribeReply,
} from '@payment-tracking/contracts'
import type { Logger } from '@payment-tracking/runtime'
import type { Socket } from 'socket.io'
import type { RealtimeConfig } from '../config.js'
import type { RealtimeTunables } from '../tunables.js'
import type { RealtimeMetrics } from '../metrics.js'
import type { Subscriptions, Subscription } from '../subscriptions/subscriptions.js'
import { closeConnection, type EngineConnection } from '../connections/engine-connection.js'
import { MessageBudget } from './message-budget.js'
import { readSubscribe, readUnsubscribe, type Refusal } from '../subscriptions/read-request.js'

export type ClientSocket = Socket<ClientToServerEvents, ServerToClientEvents>

export interface SessionOptions {
  socket: ClientSocket
  networks: readonly string[]
  subscriptions: Subscriptions
  config: RealtimeConfig
  tunables: RealtimeTunables
  metrics: RealtimeMetrics
  log: Logger
}

export class SocketSession {
  readonly connection: EngineConnection
  readonly #options: SessionOptions
  readonly #held = new Map<string, Subscription>()
  /** of `#held`, the tracking IDs whose last subscribe had no callback */
  readonly #plain = new Set<string>()
  readonly #lastWorks = new Map<string, Promise<void>>()
  readonly #budget: MessageBudget
  #warned = false

  constructor(options: SessionOptions) {
    const { socket, tunables } = options
    this.#options = options
    this.connection = socket.conn as unknown as EngineConnection
    this.#budget = new MessageBudget(tunables.messagesPerSecond, tunables.messageBurst, performance.now())
    socket.use((event, next) => {
      if (this.#mayAsk(event)) next()
    })
    socket.on('subscribe', (payload, callback) => this.#onSubscribe(payload, callbackOf(callback)))
    socket.on('unsubscribe', (payload, callback) => this.#onUnsubscribe(payload, callbackOf(callback)))
    socket.once('disconnect', reason => {
      options.metrics.disconnects.inc({ reason })
      this.#releaseAll()
    })
  }

  #mayAsk(event: readonly unknown[]): boolean {
    const spent = this.#budget.spend(performance.now())
    if (spent === 'within') {
      this.#warned = false
      return true
    }
    const { metrics } = this.#options
    if (spent === 'far-over') {
      closeConnection(this.connection, 'RATE_LIMITED', metrics)
      return false
    }
    const refusal: Refusal = { code: 'RATE_LIMITED', message: 'too many messages; send fewer' }
    // One event for many messages: the answer to a flood must not be a flood.
    if (!this.#warned) this.#refuse(refusal)
    else metrics.rejections.inc({ code: refusal.code })
    this.#warned = true
    callbackOf(event.at(-1))?.({ ok: false, ...refusal })
    return false
  }

  #onSubscribe(payload: unknown, callback: ((reply: SubscribeReply) => void) | undefined): void {
    const read = readSubscribe(payload)
    if ('refusal' in read) return this.#answerRefusal(read.refusal, callback, undefined)
    const { request } = read
    void this.#inOrder(request.trackingId, async () => {
      const result = await this.#subscribe(request)
      if (this.connection.readyState !== 'open') return
      if ('code' in result) return this.#answerRefusal(result, callback, request.trackingId)
      this.#ack(`Subscribed to trackingId: ${request.trackingId}`)
      callback?.(result.reply)
      for (const data of result.retractions)
        this.#options.socket.emit('retraction', { type: 'retraction', data, timestamp: Date.now() })
      const subscription = this.#held.get(request.trackingId)
      if (subscription && !callback) this.#plain.add(request.trackingId)
      else this.#plain.delete(request.trackingId)
      if (subscription) this.#options.subscriptions.begin(subscription)
    })
  }

  async #subscribe(request: SubscribeRequest): ReturnType<Subscriptions['read']> {
    const { subscriptions, config, networks, metrics } = this.#options
    const { trackingId } = request
    let subscription = this.#held.get(trackingId)
    const isNew = subscription === undefined
    if (!subscription) {
      if (this.#held.size >= config.MAX_SUBSCRIPTIONS_PER_CONNECTION) {
        const message = `a connection may have ${config.MAX_SUBSCRIPTIONS_PER_CONNECTION} subscriptions`
        return { code: 'TOO_MANY_SUBSCRIPTIONS', message }
      }
      subscription = subscriptions.prepare(this.connection, trackingId, networks, this.#onLost)
      this.#held.set(trackingId, subscription)
      metrics.subscriptions.inc()
    }
    const { subscriber } = subscription
    const { recipient, events, expectation } = subscriber
    const before = { recipient, events, expectation }
    subscriber.recipient = request.recipient ?? null
    subscriber.events = request.events ?? false
    subscriber.expectation = null
    const opened = await subscriptions.open(subscription, request.resume ?? undefined)
    if (opened !== 'open') {
      this.#drop(subscription)
      return opened
    }
    const page = await subscriptions.read(subscription, request)
    if ('code' in page) {
      if (isNew) this.#drop(subscription)
      // A refused request changes nothing.
      else Object.assign(subscriber, before)
      return page
    }
    return page
  }

  #onUnsubscribe(payload: unknown, callback: ((reply: UnsubscribeReply) => void) | undefined): void {
    const read = readUnsubscribe(payload)
    if ('refusal' in read) return this.#answerRefusal(read.refusal, callback, undefined)
    const { trackingId } = read.request
    void this.#inOrder(trackingId, () => {
      const subscription = this.#held.get(trackingId)
      if (subscription) this.#drop(subscription)
      if (this.connection.readyState !== 'open') return
      this.#ack(`Unsubscribed from trackingId: ${trackingId}`)
      callback?.({ ok: true })
    })
  }

  readonly #onLost = (subscription: Subscription, refusal: Refusal): void => {
    // A seat that was lost while the request ran is answered as a refusal.
    const answered = subscription.seat === null && this.#lastWorks.has(subscription.trackingId)
    const isPlain = this.#plain.has(subscription.trackingId)
    if (!this.#drop(subscription) || answered) return
    this.#refuse(refusal, subscription.trackingId, isPlain)
  }

  /** Ends a subscription: afterwards the subscriber receives nothing of it. The seat is released in the background. */
  #drop(subscription: Subscription): boolean {
    this.#options.subscriptions.close(subscription)
    if (this.#held.get(subscription.trackingId) !== subscription) return false
    this.#held.delete(subscription.trackingId)
    this.#plain.delete(subscription.trackingId)
    this.#options.metrics.subscriptions.dec()
    return true
  }

  #releaseAll(): void {
    for (const subscription of [...this.#held.values()]) this.#drop(subscription)
  }

  async #inOrder(trackingId: string, work: () => Promise<void> | void): Promise<void> {
    const before = this.#lastWorks.get(trackingId) ?? Promise.resolve()
    const done = before.then(work).catch((err: unknown) => {
      this.#options.log.error({ err, trackingId }, 'socket.request-failed')
    })
    this.#lastWorks.set(trackingId, done)
    await done
    if (this.#lastWorks.get(trackingId) === done) this.#lastWorks.delete(trackingId)
    // The client left during the request: release the seats that were granted meanwhile.
    if (this.connection.readyState === 'closed') this.#releaseAll()
  }

  #ack(data: string): void {
    this.#options.socket.emit('ack', { type: 'ack', data, timestamp: Date.now() })
  }

  #answerRefusal(
    refusal: Refusal,
    callback: ((reply: { ok: false } & Refusal) => void) | undefined,
    trackingId: string | undefined,
  ): void {
    this.#refuse(refusal, trackingId, callback === undefined)
    callback?.({ ok: false, ...refusal })
  }

  /**
   * Pages that were written for the incumbent take every `error` for a failed payment, and subscribe without a callback.
   * A seat says nothing about the payment, so they are refused one by `refused`.
   * @param isPlain the client subscribed without a callback
   */
  #refuse(refusal: Refusal, trackingId?: string, isPlain = false): void {
    const { socket, metrics } = this.#options
    metrics.rejections.inc({ code: refusal.code })
    const data: RefusalData = trackingId === undefined ? refusal : { ...refusal, trackingId }
    const timestamp = Date.now()
    if (isPlain && ABOUT_SEATS.has(refusal.code)) socket.emit('refused', { type: 'refused', data, timestamp })
    else socket.emit('error', { type: 'error', data, timestamp })
  }
}

/** Refusals of a seat: the payment goes its way. */
const ABOUT_SEATS: ReadonlySet<Refusal['code']> = new Set(['TOO_MANY_CONNECTIONS', 'UNAVAILABLE'])

/** A client may send any value in place of a callback. */
const callbackOf = <R>(value: unknown): ((reply: R) => void) | undefined =>
  typeof value === 'function' ? (value as (reply: R) => void) : undefined
