import { Emitter } from '@socket.io/redis-emitter'
import {
  roomOf,
  toSocketPayment,
  toSocketRetraction,
  type CommittedLifecycle,
  type CommittedPayment,
} from '@payment-tracking/contracts'
import type { Redis } from 'ioredis'
import { RedisUnavailableError } from '../errors.js'
import type { RedisKeys } from '../keys.js'
import { NO_SEQ, paymentParser, type AnnouncedFrame, type AnnouncedFrames } from './payment-frame.js'
import { frameOfLifecycle, frameOfPayment, frameOfRetraction } from './socket-frame.js'
import { withDeadline } from '../connection.js'

interface AnnouncedEvents {
  payments: (announced: AnnouncedFrames) => void
  lifecycles: (announced: AnnouncedFrames) => void
}

/** The messages for sockets that follow from one transaction. */
export interface Announcement {
  payments: readonly CommittedPayment[]
  /** payments that the finalized chain does not hold; default: none */
  retractions?: readonly CommittedPayment[]
  /** what happened to policies; default: nothing */
  lifecycles?: readonly CommittedLifecycle[]
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

/**
 * Tells every pod of committed payments and life-cycle events, many in a message, one pipeline for all. Payments without
 * tracking ID are left out.
 * @param timeoutMs how long Redis may take
 * @returns how many payments, retractions and life-cycle events were announced, once Redis took them all
 * @throws RedisUnavailableError at once when Redis is away, after `timeoutMs` when it hangs; some may have
 *   been announced. Announcing again is harmless: pods know what they forwarded.
 */
export async function announcePayments(
  redis: Redis,
  keys: RedisKeys,
  announcement: Announcement,
  timeoutMs: number,
): Promise<number> {
  if (redis.status !== 'ready') throw new RedisUnavailableError('Redis is away; the payments wait')
  const pipeline = redis.pipeline()
  const emitter = new Emitter<AnnouncedEvents>(pipeline, { key: keys.adapter, parser: paymentParser })
  const timestamp = Date.now()
  const { lifecycles = [], committedAtMs = timestamp, epoch } = announcement
  const emit = (event: keyof AnnouncedEvents, frames: readonly AnnouncedFrame[]) => {
    for (let at = 0; at < frames.length; at += FRAMES_PER_MESSAGE) {
      const some = frames.slice(at, at + FRAMES_PER_MESSAGE)
      const rooms = some.map(({ trackingId }) => roomOf(trackingId))
      emitter.to(rooms).emit(event, { frames: some, committedAtMs, epoch })
    }
    return frames.length
  }
  const count =
    emit('payments', toFrames(announcement, timestamp)) +
    emit(
      'lifecycles',
      lifecycles.map(lifecycle => toLifecycleFrame(lifecycle, timestamp)),
    )
  if (count === 0) return 0
  try {
    const results = await withDeadline(
      pipeline.exec(),
      timeoutMs,
      () => new RedisUnavailableError(`Redis did not take the payments within ${timeoutMs} ms`),
    )
    const failed = results?.find(([error]) => error !== null)
    if (failed) throw failed[0]!
    return count
  } catch (error) {
    // While Redis hangs, every batch would stay in the buffer of this connection.
    if (error instanceof RedisUnavailableError) redis.disconnect(true)
    if (error instanceof RedisUnavailableError) throw error
    throw new RedisUnavailableError('Redis did not take the payments', { cause: error })
  }
}
