// Socket.IO's Redis adapter with one change: the adapter passes a payment to the pod instead of broadcasting it, because
// only the pod knows which clients still hold a seat. Payments reach clients in no other way.
import { createRequire } from 'node:module'
import type { Redis } from 'ioredis'
import type { RedisKeys } from '../keys.js'
import { isPaymentMessage, paymentParser, readPayments, type PaymentReader } from './payment-frame.js'

/** The part of the adapter that this file relies on: it binds `this.onmessage` to the messages of its pattern. */
interface StockAdapter {
  onmessage(pattern: string | null, channel: Buffer, bytes: Buffer): void
}

// The package replaces its exports by a function, which hides the class from ESM's named imports.
const { RedisAdapter } = createRequire(import.meta.url)('@socket.io/redis-adapter') as {
  RedisAdapter: new (
    namespace: unknown,
    publisher: object,
    subscriber: object,
    options: object,
  ) => StockAdapter
}

export interface PaymentAdapterOptions<R> extends PaymentReader<R> {
  /** commands to other pods */
  publisher: Redis
  /** in subscriber mode; owned by the caller */
  subscriber: Redis
  keys: RedisKeys
}

/**
 * The adapter drops the promises of its commands. While Redis is away they reject, and an unhandled
 * rejection would end the process; the connection subscribes again by itself.
 */
function withoutRejections(redis: Redis): Redis {
  return new Proxy(redis, {
    get(target, name) {
      const member = Reflect.get(target, name, target) as unknown
      if (typeof member !== 'function') return member
      return (...args: unknown[]): unknown => {
        const result: unknown = Reflect.apply(member, target, args)
        if (result instanceof Promise) result.catch(() => {})
        return result
      }
    },
  })
}

/** For `adapter` of a Socket.IO server. */
export function buildPaymentAdapter<R>(options: PaymentAdapterOptions<R>): (namespace: unknown) => object {
  const stock = RedisAdapter.prototype as StockAdapter

  class PaymentAdapter extends RedisAdapter {
    override onmessage(pattern: string | null, channel: Buffer, bytes: Buffer): void {
      if (!isPaymentMessage(bytes)) return stock.onmessage.call(this, pattern, channel, bytes)
      readPayments(bytes, options)
    }
  }

  // Socket.IO calls it with `new`, which an arrow function does not allow.
  return function (namespace) {
    return new PaymentAdapter(
      namespace,
      withoutRejections(options.publisher),
      withoutRejections(options.subscriber),
      { key: options.keys.adapter, parser: paymentParser },
    )
  }
}
