import { DELIVERY_QUEUE_NAMES, DELIVERY_QUEUES } from '@payment-tracking/contracts'
import { Queue } from 'bullmq'
import { connectReader, queuePrefix, type QueueOptions } from './connection.js'

export interface BoardQueue {
  /** for Bull Board's adapter and nobody else: the queue of first attempts, and the bulk queue */
  queues: [first: Queue, bulk: Queue]
  ping(): Promise<void>
  close(): Promise<void>
}

/** Opens the delivery queues for the dashboard. While Redis is away its calls fail instead of waiting. */
export function openBoardQueue(options: QueueOptions): BoardQueue {
  const redis = connectReader(options)
  const queues = DELIVERY_QUEUE_NAMES.map(name => {
    const queue = new Queue(DELIVERY_QUEUES[name], {
      connection: redis,
      prefix: queuePrefix(options.ENVIRONMENT),
      skipMetasUpdate: true,
    })
    queue.on('error', error => options.onError?.(error))
    return queue
  }) as BoardQueue['queues']
  return {
    queues,
    ping: async () => {
      await redis.ping()
    },
    close: async () => {
      if (redis.status === 'ready') await Promise.all(queues.map(queue => queue.close())).catch(() => {})
      redis.disconnect()
    },
  }
}
