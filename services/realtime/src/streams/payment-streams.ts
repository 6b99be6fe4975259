// `GET /v1/payments/stream`: the payments of one tracking ID as server-sent events, for programs without a Socket.IO
// client. A stream is a connection with one subscription: its seats, limits and history are those of sockets.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { PAYMENT_STREAM_PATH, type SubscribeRequest } from '@payment-tracking/contracts'
import {
  isAllowedOrigin,
  writeRefusal,
  type AllowedOrigins,
  type Logger,
  type Refusal,
} from '@payment-tracking/runtime'
import type { RealtimeMetrics } from '../metrics.js'
import type { ConnectionAdmission } from '../sockets/connection-admission.js'
import { FOREIGN_ORIGIN, TOO_MANY_CONNECTIONS } from '../sockets/refuse-request.js'
import type { Subscription, Subscriptions } from '../subscriptions/subscriptions.js'
import type { Refusal as SeatRefusal } from '../subscriptions/read-request.js'
import { EventStream } from '../connections/event-stream.js'
import { readStreamRequest } from './read-stream-request.js'

export interface PaymentStreamsOptions {
  subscriptions: Subscriptions
  admission: ConnectionAdmission
  metrics: RealtimeMetrics
  log: Logger
  allowedOrigins: AllowedOrigins
  maxQueuedEvents: number
  /** a pod that may have lost its seats sends nothing */
  mayDeliver: () => boolean
}

const METHOD_NOT_ALLOWED: Refusal = {
  status: 405,
  code: 'METHOD_NOT_ALLOWED',
  sentence: 'This path takes GET only.',
}
/** A client that was refused comes back after this long, in seconds. */
const RETRY_AFTER = '5'

/** A stream is its connection: what counts connections counts streams. */
const HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
  'x-content-type-options': 'nosniff',
  connection: 'close',
}

export class PaymentStreams {
  readonly #options: PaymentStreamsOptions
  readonly #open = new Map<EventStream, ServerResponse>()

  constructor(options: PaymentStreamsOptions) {
    this.#options = options
  }

  /** @returns whether the request was for a stream */
  serve(request: IncomingMessage, response: ServerResponse): boolean {
    const path = request.url?.split('?', 1)[0]
    if (path !== PAYMENT_STREAM_PATH && path !== `${PAYMENT_STREAM_PATH}/`) return false
    void this.#serve(request, response).catch((err: unknown) => {
      this.#options.log.error({ err }, 'stream.failed')
      response.destroy()
    })
    return true
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { admission, metrics, allowedOrigins } = this.#options
    const refuse = (refusal: Refusal, headers = {}) =>
      writeRefusal(response, refusal, { connection: 'close', ...headers })
    const { origin } = request.headers
    if (!isAllowedOrigin(allowedOrigins, origin)) return refuse(FOREIGN_ORIGIN)
    if (allowedOrigins === '*') response.setHeader('access-control-allow-origin', '*')
    else {
      response.setHeader('vary', 'origin')
      if (origin !== undefined) response.setHeader('access-control-allow-origin', origin)
    }
    response.setHeader('access-control-expose-headers', 'retry-after, x-request-id')
    if (request.method === 'OPTIONS') {
      const allowed = {
        'access-control-allow-methods': 'GET',
        'access-control-allow-headers': 'last-event-id',
      }
      return void response.writeHead(204, { ...allowed, 'access-control-max-age': '86400' }).end()
    }
    if (request.method !== 'GET') return refuse(METHOD_NOT_ALLOWED, { allow: 'GET' })
    const asked = readStreamRequest(request)
    if ('status' in asked) return refuse(asked)
    const full = () => refuse(TOO_MANY_CONNECTIONS, { 'retry-after': RETRY_AFTER })
    if (!admission.admitRequest(request)) return full()

    const networks = admission.networksOf(request)
    const stream = new EventStream({
      response,
      recipient: asked.recipient ?? undefined,
      maxQueued: this.#options.maxQueuedEvents,
      onSlow: () => this.#cut(stream, 'SLOW_CONSUMER'),
    })
    this.#open.set(stream, response)
    metrics.connections.inc()
    response.once('close', () => {
      this.#open.delete(stream)
      metrics.connections.dec()
    })
    const isAdmitted = await admission.takeSeat(networks, {
      isOpen: () => stream.readyState === 'open',
      onceClosed: release => void response.once('close', release),
      close: () => this.#cut(stream, 'TOO_MANY_CONNECTIONS'),
    })
    if (!isAdmitted) return full()
    const refusal = await this.#run(stream, response, asked, networks)
    if (refusal === null) return
    metrics.rejections.inc({ code: refusal.code })
    const status = refusal.code === 'UNAVAILABLE' ? 503 : 429
    refuse({ status, code: refusal.code, sentence: sentenceOf(refusal) }, { 'retry-after': RETRY_AFTER })
  }

  /** @returns why the stream did not begin; null when it did, or when the client has gone */
  async #run(
    stream: EventStream,
    response: ServerResponse,
    asked: SubscribeRequest,
    networks: readonly string[],
  ): Promise<SeatRefusal | null> {
    const { subscriptions, metrics } = this.#options
    const subscription = subscriptions.prepare(stream, asked.trackingId, networks, () =>
      this.#cut(stream, 'TOO_MANY_CONNECTIONS'),
    )
    metrics.subscriptions.inc()
    response.once('close', () => {
      subscriptions.close(subscription)
      metrics.subscriptions.dec()
    })
    const opened = await subscriptions.open(subscription, undefined)
    const refusal = opened === 'open' ? await this.#replay(stream, response, subscription, asked) : opened
    if (stream.readyState !== 'open') return null
    if (refusal === null || !response.headersSent) return refusal
    this.#cut(stream, null)
    return null
  }

  /** Sends what the client missed, in pages that wait for the client, and then lets the room's events through. */
  async #replay(
    stream: EventStream,
    response: ServerResponse,
    subscription: Subscription,
    asked: SubscribeRequest,
  ): Promise<SeatRefusal | null> {
    const { subscriptions, mayDeliver } = this.#options
    const { trackingId } = asked
    const request = { ...asked }
    for (let isFirst = true; ; isFirst = false) {
      stream.forgetWaiting()
      const page = await subscriptions.read(subscription, request, { isFirst })
      if ('code' in page) return page
      if (!mayDeliver()) return { code: 'UNAVAILABLE', message: 'try again in a few seconds' }
      const { head, epoch, recovered, replay, more, next } = page.reply
      if (isFirst) {
        response.writeHead(200, { ...HEADERS, 'x-request-id': randomUUID() })
        // An id without its `reset` would make the client go on where it must begin again.
        if (recovered || request.since === undefined) stream.start(epoch, recovered ? request.since! : head)
        const timestamp = Date.now()
        const retractions = page.retractions.map(data => ({
          event: 'retraction',
          seq: 0,
          message: { type: 'retraction', data, timestamp },
        }))
        stream.replay(retractions, 0)
      }
      request.epoch = epoch
      if (recovered) {
        const timestamp = Date.now()
        const payments = replay.map(data => ({
          event: 'payment',
          seq: data.seq,
          message: { type: 'payment_notification', data, timestamp },
        }))
        stream.replay(payments, next)
        request.since = next
      } else if (request.since !== undefined) {
        stream.reset(epoch, head, trackingId)
        request.since = 0
      }
      await stream.drained()
      if (recovered ? !more : request.since === undefined) break
    }
    if (!mayDeliver()) return { code: 'UNAVAILABLE', message: 'try again in a few seconds' }
    stream.begin()
    return null
  }

  /** Ends a stream at once. What is queued is not sent: the client comes back for it. */
  #cut(stream: EventStream, reason: 'SLOW_CONSUMER' | 'TOO_MANY_CONNECTIONS' | null): void {
    if (reason !== null && stream.readyState === 'open') this.#options.metrics.closes.inc({ reason })
    this.#open.get(stream)?.destroy()
  }

  /** The fence fell: what is queued may not be sent any more. */
  closeUnsent(): void {
    for (const stream of this.#open.keys()) if (stream.hasUnsent) this.#cut(stream, 'SLOW_CONSUMER')
  }

  keepAlive(): void {
    for (const stream of this.#open.keys()) stream.keepAlive()
  }

  /** Ends all streams, each at its own time within the window: their clients come back to other pods. */
  async drain(windowMs: number): Promise<void> {
    const ends = [...this.#open].map(async ([stream, response]) => {
      const gone = new Promise<void>(resolve => response.once('close', resolve))
      await Promise.race([gone, sleep(Math.random() * windowMs, undefined, { ref: false })])
      if (stream.readyState !== 'open') return
      this.#options.metrics.closes.inc({ reason: 'RESTART' })
      response.end()
      // A client that does not read is not waited for.
      await Promise.race([gone, sleep(SEND_TIMEOUT_MS, undefined, { ref: false })])
      response.destroy()
    })
    await Promise.all(ends)
  }
}

const SEND_TIMEOUT_MS = 1_000

const sentenceOf = ({ message }: SeatRefusal): string => `${message[0]!.toUpperCase()}${message.slice(1)}.`
