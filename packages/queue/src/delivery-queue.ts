import {
  DELIVERIES_QUEUE,
  DELIVERY_TRIES,
  type DeliverJob,
  type DeliveryRef,
} from '@payment-tracking/contracts'
import { Queue } from 'bullmq'
import type { Redis } from 'ioredis'
import { connectProducer, queuePrefix, type QueueOptions } from './connection.js'
import { QueueUnavailableError } from './errors.js'

/** A delivery to wake a worker for. */
export interface EnqueuedDelivery extends DeliveryRef {
  /** not before; default at once */
  delayMs?: number
}

export interface DeliveryQueue {
  /**
   * Wakes workers for deliveries, all or none, in one round trip. Jobs carry ids only.
   * @throws QueueUnavailableError within 2 s when Redis is away; the sweeper finds the rows later
   */
  enqueueDeliveries(deliveries: readonly EnqueuedDelivery[]): Promise<void>
  /** Jobs that a worker could take now: neither delayed ones nor, while the queue is paused, any. */
  countWaiting(): Promise<number>
  /** Resolves when Redis answers. */
  ping(): Promise<void>
  close(): Promise<void>
}

/** What a finished job leaves for the dashboard. Ages are looked at when another job ends. */
export const KEPT_JOBS = {
  removeOnComplete: { age: 3_600, count: 1_000 },
  removeOnFail: { age: 604_800, count: 10_000 },
}

/** Work on Redis as long as it may be reached; BullMQ's queue is opened at the first moment it can be. */
function openLazily(redis: Redis, options: QueueOptions) {
  let opening: Promise<Queue<DeliverJob>> | undefined
  const open = async (): Promise<Queue<DeliverJob>> => {
    const queue = new Queue<DeliverJob>(DELIVERIES_QUEUE, {
      connection: redis,
      prefix: queuePrefix(options.ENVIRONMENT),
      defaultJobOptions: { attempts: DELIVERY_TRIES, backoff: { type: 'custom' }, ...KEPT_JOBS },
    })
    queue.on('error', error => options.onError?.(error))
    await queue.waitUntilReady()
    return queue
  }
  return {
    queue: async (): Promise<Queue<DeliverJob>> => {
      // A client that is not ready would reject each command by itself; BullMQ would wait instead.
      if (redis.status !== 'ready') throw new QueueUnavailableError('Redis is not connected')
      opening ??= open().catch((error: unknown) => {
        opening = undefined
        throw error
      })
      return opening
    },
    close: async () => {
      await opening?.then(queue => queue.close()).catch(() => {})
    },
  }
}

/**
 * Opens the producer's side of the delivery queue. Resolves without waiting for Redis: while it is away, calls
 * fail at once, and they work again without a restart when it is back.
 */
export function openQueue(options: QueueOptions): DeliveryQueue {
  const redis = connectProducer(options)
  const lazy = openLazily(redis, options)
  const translated = async <T>(call: () => Promise<T>): Promise<T> => {
    try {
      return await call()
    } catch (error) {
      if (error instanceof QueueUnavailableError) throw error
      throw new QueueUnavailableError('Redis did not take the call', { cause: error })
    }
  }
  return {
    enqueueDeliveries: deliveries =>
      translated(async () => {
        if (deliveries.length === 0) return
        const queue = await lazy.queue()
        await queue.addBulk(
          deliveries.map(({ id, webhookId, delayMs }) => ({
            name: 'deliver',
            data: { deliveryId: id.toString(), webhookId: webhookId.toString() },
            opts: delayMs === undefined ? {} : { delay: delayMs },
          })),
        )
      }),
    countWaiting: () =>
      translated(async () => {
        const queue = await lazy.queue()
        return (await queue.isPaused()) ? 0 : queue.getWaitingCount()
      }),
    ping: () =>
      translated(async () => {
        await redis.ping()
      }),
    close: async () => {
      await lazy.close()
      redis.disconnect()
    },
  }
}
