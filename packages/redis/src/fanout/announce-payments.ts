import { Emitter } from '@socket.io/redis-emitter'
import {
  roomOf,
  toSocketPayment,
  toSocketRetraction,
  type CommittedPayment,
} from '@payment-tracking/contracts'
import type { Redis } from 'ioredis'
import { RedisUnavailableError } from '../errors.js'
import type { RedisKeys } from '../keys.js'
import { paymentParser, type AnnouncedMessage, type AnnouncedPayments } from './payment-frame.js'
import { withDeadline } from '../connection.js'

interface PaymentEvents {
  payments: (announced: AnnouncedPayments) => void
}

/** The messages for sockets that follow from one transaction. */
export interface Announcement {
  payments: readonly CommittedPayment[]
  /** payments that the finalized chain does not hold; default: none */
  retractions?: readonly CommittedPayment[]
  /** when the transaction committed; default: now */
  committedAtMs?: number
  /** the epoch of the database that gave each `seq`; pods of another epoch ignore the announcement */
  epoch: string
}

/** Every pod reads every message. Many payments in one message cost a pod one look-up each. */
const PAYMENTS_PER_MESSAGE = 64

/**
 * Tells every pod of committed payments, many in a message, one pipeline for all. Payments without tracking ID
 * are left out.
 * @param timeoutMs how long Redis may take
 * @returns how many payments and retractions were announced, once Redis took them all
 * @throws RedisUnavailableError at once when Redis is away, after `timeoutMs` when it hangs; some may have
 *   been announced. Announcing again is harmless: pods know what they forwarded.
 */
export async function announcePayments(
  redis: Redis,
  keys: RedisKeys,
  { payments, retractions = [], committedAtMs = Date.now(), epoch }: Announcement,
  timeoutMs: number,
): Promise<number> {
  if (redis.status !== 'ready') throw new RedisUnavailableError('Redis is away; the payments wait')
  const pipeline = redis.pipeline()
  const emitter = new Emitter<PaymentEvents>(pipeline, { key: keys.adapter, parser: paymentParser })
  const timestamp = Date.now()
  const messages: AnnouncedMessage[] = []
  for (const payment of payments) {
    const data = toSocketPayment(payment)
    if (data === null) continue
    messages.push({ message: { type: 'payment_notification', data, timestamp }, recipient: data.recipient })
  }
  for (const payment of retractions) {
    const data = toSocketRetraction(payment)
    if (data === null) continue
    messages.push({ message: { type: 'retraction', data, timestamp }, recipient: payment.recipient })
  }
  if (messages.length === 0) return 0
  for (let at = 0; at < messages.length; at += PAYMENTS_PER_MESSAGE) {
    const some = messages.slice(at, at + PAYMENTS_PER_MESSAGE)
    const rooms = some.map(({ message }) => roomOf(message.data.trackingId))
    emitter.to(rooms).emit('payments', { messages: some, committedAtMs, epoch })
  }
  try {
    const results = await withDeadline(
      pipeline.exec(),
      timeoutMs,
      () => new RedisUnavailableError(`Redis did not take the payments within ${timeoutMs} ms`),
    )
    const failed = results?.find(([error]) => error !== null)
    if (failed) throw failed[0]!
    return messages.length
  } catch (error) {
    // While Redis hangs, every batch would stay in the buffer of this connection.
    if (error instanceof RedisUnavailableError) redis.disconnect(true)
    if (error instanceof RedisUnavailableError) throw error
    throw new RedisUnavailableError('Redis did not take the payments', { cause: error })
  }
}
