import { Emitter } from '@socket.io/redis-emitter'
import { roomOf, toSocketPayment, type PaymentFacts, type PaymentMessage } from '@payment-tracking/contracts'
import type { Redis } from 'ioredis'
import { SignalUnavailableError } from './errors.js'
import type { SignalKeys } from './keys.js'
import { paymentParser, type PaymentHead } from './payment-frame.js'
import { withDeadline } from './redis.js'

interface PaymentEvents {
  payment: (message: PaymentMessage, head: PaymentHead) => void
}

/**
 * Tells every pod of committed payments: one message a payment, one pipeline a batch. Payments without
 * tracking ID are left out.
 * @param committedAtMs when their transaction committed
 * @param timeoutMs how long Redis may take
 * @returns how many payments were announced, once Redis took them all
 * @throws SignalUnavailableError at once when Redis is away, after `timeoutMs` when it hangs; some may have
 *   been announced. Announcing again is harmless: pods know what they forwarded.
 */
export async function announcePayments(
  redis: Redis,
  keys: SignalKeys,
  payments: readonly PaymentFacts[],
  committedAtMs: number,
  timeoutMs: number,
): Promise<number> {
  if (redis.status !== 'ready') throw new SignalUnavailableError('Redis is away; the payments wait')
  const pipeline = redis.pipeline()
  const emitter = new Emitter<PaymentEvents>(pipeline, { key: keys.adapter, parser: paymentParser })
  const timestamp = Date.now()
  for (const facts of payments) {
    const data = toSocketPayment(facts)
    if (data === null) continue
    emitter
      .to(roomOf(data.trackingId))
      .emit('payment', { type: 'payment_notification', data, timestamp }, { committedAtMs })
  }
  const announced = pipeline.length
  if (announced === 0) return 0
  try {
    const results = await withDeadline(
      pipeline.exec(),
      timeoutMs,
      () => new SignalUnavailableError(`Redis did not take the payments within ${timeoutMs} ms`),
    )
    const failed = results?.find(([error]) => error !== null)
    if (failed) throw failed[0]!
    return announced
  } catch (error) {
    // A hanging Redis would collect batch after batch in this connection's buffer.
    if (error instanceof SignalUnavailableError) redis.disconnect(true)
    if (error instanceof SignalUnavailableError) throw error
    throw new SignalUnavailableError('Redis did not take the payments', { cause: error })
  }
}
