import { Emitter } from '@socket.io/redis-emitter'
import {
  roomOf,
  toSocketPayment,
  toSocketRetraction,
  type CommittedExpectation,
  type CommittedLifecycle,
  type CommittedPayment,
} from '@payment-tracking/contracts'
import { reconnect } from '@payment-tracking/runtime/redis'
import { RedisUnavailableError } from '../errors.js'
import type { RedisKeys } from '../keys.js'
import { NO_SEQ, paymentParser, type AnnouncedFrame, type AnnouncedFrames } from './payment-frame.js'
import { frameOfExpectation, frameOfLifecycle, frameOfPayment, frameOfRetraction } from './socket-frame.js'
import type { PaymentRoute } from './shard-channels.js'
import { withDeadline } from '../connection.js'

interface AnnouncedEvents {
  payments: (announced: AnnouncedFrames) => void
  lifecycles: (announced: AnnouncedFrames) => void
  expectations: (announced: AnnouncedFrames) => void
}

/** The messages for sockets that follow from one transaction. */
export interface Announcement {
  payments: readonly CommittedPayment[]
  /** payments that the finalized chain does not hold; default: none */
  retractions?: readonly CommittedPayment[]
  /** what happened to policies; default: nothing */
  lifecycles?: readonly CommittedLifecycle[]
  /** expected payments whose state changed; default: none */
  expectations?: readonly CommittedExpectation[]
  /** when the transaction committed; default: now */
  committedAtMs?: number
  /** the epoch of the database that gave each `seq`; pods of another epoch ignore the announcement */
  epoch: string
}

/** Every pod reads every message. Many frames in one message cost a pod one look-up each. */
const FRAMES_PER_MESSAGE = 64

/** Payments without tracking ID are left out. */
function toFrames({ payments, retractions = [] }: Announcement, timestamp: number): AnnouncedFrame[] {
  const frames: AnnouncedFrame[] = []
  for (const payment of payments) {
    const data = toSocketPayment(payment)
    if (data === null) continue
    const wsFrame = frameOfPayment({ type: 'payment_notification', data, timestamp })
    frames.push({ trackingId: data.trackingId, seq: data.seq, recipient: data.recipient, wsFrame })
  }
  for (const payment of retractions) {
    const data = toSocketRetraction(payment)
    if (data === null) continue
    const wsFrame = frameOfRetraction({ type: 'retraction', data, timestamp })
    frames.push({ trackingId: data.trackingId, seq: NO_SEQ, recipient: payment.recipient, wsFrame })
  }
  return frames
}

const toLifecycleFrame = (lifecycle: CommittedLifecycle, timestamp: number): AnnouncedFrame => ({
  trackingId: lifecycle.trackingId,
  seq: NO_SEQ,
  recipient: lifecycle.recipient,
  wsFrame: frameOfLifecycle(lifecycle, timestamp),
})

/** `recipient` names the expectation, and `seq` its change. */
const toExpectationFrame = (expectation: CommittedExpectation, timestamp: number): AnnouncedFrame => ({
  trackingId: expectation.trackingId,
  seq: expectation.changes,
  recipient: expectation.id,
  wsFrame: frameOfExpectation(expectation, timestamp),
})

/** Frames of one event, by the route of their tracking ID. */
function byRoute(
  frames: readonly AnnouncedFrame[],
  routeOf: (trackingId: string) => PaymentRoute,
): Map<PaymentRoute, AnnouncedFrame[]> {
  const groups = new Map<PaymentRoute, AnnouncedFrame[]>()
  for (const frame of frames) {
    const route = routeOf(frame.trackingId)
    const group = groups.get(route)
    if (group) group.push(frame)
    else groups.set(route, [frame])
  }
  return groups
}

/** @throws RedisUnavailableError at once when the route's node is away, after `timeoutMs` when it hangs */
async function send(
  route: PaymentRoute,
  keys: RedisKeys,
  timeoutMs: number,
  emitAll: (emitter: Emitter<AnnouncedEvents>) => void,
): Promise<void> {
  const { redis } = route
  if (redis.status !== 'ready') throw new RedisUnavailableError('Redis is away; the payments wait')
  const pipeline = redis.pipeline()
  const client = { publish: (channel: string, message: Buffer) => route.publish(pipeline, channel, message) }
  emitAll(new Emitter<AnnouncedEvents>(client, { key: keys.adapter, parser: paymentParser }))
  try {
    const results = await withDeadline(
      pipeline.exec(),
      timeoutMs,
      () => new RedisUnavailableError(`Redis did not take the payments within ${timeoutMs} ms`),
    )
    const failed = results?.find(([error]) => error !== null)
    if (failed) throw failed[0]!
  } catch (error) {
    // While Redis hangs, every batch would stay in the buffer of this connection.
    if (error instanceof RedisUnavailableError) reconnect(redis)
    if (error instanceof RedisUnavailableError) throw error
    throw new RedisUnavailableError('Redis did not take the payments', { cause: error })
  }
}

/**
 * Notifies every pod of committed payments and life-cycle events, many in a message, one pipeline for each route. Payments
 * without tracking ID are left out. A route whose node is away does not hold the others up.
 * @param timeoutMs how long Redis may take
 * @returns how many payments, retractions and life-cycle events were announced, once Redis took them all
 * @throws RedisUnavailableError at once when Redis is away, after `timeoutMs` when it hangs; some may have
 *   been announced. Announcing again is harmless: pods know what they forwarded.
 */
export async function announcePayments(
  routeOf: (trackingId: string) => PaymentRoute,
  keys: RedisKeys,
  announcement: Announcement,
  timeoutMs: number,
): Promise<number> {
  const timestamp = Date.now()
  const { lifecycles = [], expectations = [], committedAtMs = timestamp, epoch } = announcement
  const events = {
    payments: byRoute(toFrames(announcement, timestamp), routeOf),
    lifecycles: byRoute(
      lifecycles.map(lifecycle => toLifecycleFrame(lifecycle, timestamp)),
      routeOf,
    ),
    expectations: byRoute(
      expectations.map(expectation => toExpectationFrame(expectation, timestamp)),
      routeOf,
    ),
  }
  let count = 0
  const emit = (emitter: Emitter<AnnouncedEvents>, event: keyof AnnouncedEvents, route: PaymentRoute) => {
    const frames = events[event].get(route) ?? []
    for (let at = 0; at < frames.length; at += FRAMES_PER_MESSAGE) {
      const some = frames.slice(at, at + FRAMES_PER_MESSAGE)
      const rooms = some.map(({ trackingId }) => roomOf(trackingId))
      emitter.to(rooms).emit(event, { frames: some, committedAtMs, epoch })
    }
    count += frames.length
  }
  const routes = new Set(Object.values(events).flatMap(frames => [...frames.keys()]))
  const sent = await Promise.allSettled(
    [...routes].map(route =>
      send(route, keys, timeoutMs, emitter => {
        emit(emitter, 'payments', route)
        emit(emitter, 'lifecycles', route)
        emit(emitter, 'expectations', route)
      }),
    ),
  )
  for (const result of sent) if (result.status === 'rejected') throw result.reason
  return count
}
