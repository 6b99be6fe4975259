import { DELIVERIES_QUEUE } from '@payment-tracking/contracts'
import { readRedisAddress, REDIS_RECONNECT } from '@payment-tracking/runtime'
import { Queue } from 'bullmq'
import { Redis } from 'ioredis'
import { COMMAND_TIMEOUT_MS, queuePrefix, type QueueOptions } from './connection.js'

export interface BoardQueue {
  /** for Bull Board's adapter and nobody else */
  queue: Queue
  ping(): Promise<void>
  close(): Promise<void>
}

/** Opens the delivery queue for the dashboard. While Redis is away its calls fail instead of waiting. */
export function openBoardQueue(options: QueueOptions): BoardQueue {
  const redis = new Redis({
    ...readRedisAddress(options),
    maxRetriesPerRequest: null,
    commandTimeout: COMMAND_TIMEOUT_MS,
    ...REDIS_RECONNECT,
  })
  redis.on('error', error => options.onError?.(error))
  const queue = new Queue(DELIVERIES_QUEUE, {
    connection: redis,
    prefix: queuePrefix(options.ENVIRONMENT),
    skipMetasUpdate: true,
  })
  queue.on('error', error => options.onError?.(error))
  return {
    queue,
    ping: async () => {
      await redis.ping()
    },
    close: async () => {
      if (redis.status === 'ready') await queue.close().catch(() => {})
      redis.disconnect()
    },
  }
}
