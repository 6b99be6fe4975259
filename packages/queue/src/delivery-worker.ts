import type { DeliveryQueueName } from '@payment-tracking/contracts'
import { checkKeepsKeys } from '@payment-tracking/runtime/redis'
import { connectConsumer } from './connection.js'
import { openQueueWorker, type DeliveryWorkerOptions, type WorkerProgress } from './queue-worker.js'

export interface DeliveryWorker {
  start(): void
  /** Takes no more jobs, returns jobs that it has not begun, and resolves when the current deliveries have ended. */
  stop(): Promise<void>
  progress(): Record<DeliveryQueueName, WorkerProgress>
  close(): Promise<void>
}

/**
 * Deliveries that come together or again get slots of their own: one for each four of the first attempts. So they never delay
 * a first attempt.
 */
const BULK_SHARE = 4

/**
 * Opens a worker of both delivery queues; nothing runs before `start`.
 * A job whose worker died is given to another worker by BullMQ's own check, and the row's claim decides whether there is
 * anything left to do.
 * @throws RedisEvictionError when Redis is set to evict keys
 */
export async function openDeliveryWorker(options: DeliveryWorkerOptions): Promise<DeliveryWorker> {
  const redis = connectConsumer(options)
  try {
    await checkKeepsKeys(redis)
  } catch (error) {
    redis.disconnect()
    throw error
  }
  const concurrencyOf = {
    first: options.concurrency,
    bulk: Math.ceil(options.concurrency / BULK_SHARE),
  }
  const open = (name: DeliveryQueueName) =>
    openQueueWorker(redis, name, { ...options, concurrency: concurrencyOf[name] })
  const [first, bulk] = [open('first'), open('bulk')]
  const stop = async () => {
    await Promise.all([first.stop(), bulk.stop()])
  }
  return {
    start: () => {
      first.start()
      bulk.start()
    },
    stop,
    progress: () => ({ first: first.progress(), bulk: bulk.progress() }),
    close: async () => {
      await stop()
      redis.disconnect()
    },
  }
}
