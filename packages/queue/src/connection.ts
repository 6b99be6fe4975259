// The two kinds of Redis connection a queue needs, and the names of its keys.
import { REDIS_RECONNECT } from '@payment-tracking/runtime'
import { Redis } from 'ioredis'
import { QueueEvictionError } from './errors.js'

export interface QueueOptions {
  REDIS_URL: string
  /** keeps deployments that share a Redis apart */
  ENVIRONMENT: string
  /** connection errors, which heal by themselves; they never reject anything */
  onError?: (error: Error) => void
}

/** In a hash tag, so that all keys of a queue live in one slot of a Redis Cluster. */
export const queuePrefix = (environment: string): string => `{payment-tracking:${environment}}`

/** A producer must not wait for Redis: calls fail within this. */
export const COMMAND_TIMEOUT_MS = 2_000

/** For producers and readers: what cannot be sent now fails now. */
export function connectProducer(options: QueueOptions): Redis {
  const redis = new Redis(options.REDIS_URL, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    commandTimeout: COMMAND_TIMEOUT_MS,
    ...REDIS_RECONNECT,
  })
  redis.on('error', error => options.onError?.(error))
  return redis
}

/** For workers: commands wait until Redis is back, for as long as it takes. */
export function connectConsumer(options: QueueOptions): Redis {
  const redis = new Redis(options.REDIS_URL, {
    maxRetriesPerRequest: null,
    ...REDIS_RECONNECT,
  })
  redis.on('error', error => options.onError?.(error))
  return redis
}

/** @throws QueueEvictionError when Redis would drop keys of its own accord */
export async function refuseEviction(redis: Redis): Promise<void> {
  const policy = /^maxmemory_policy:(\S+)/m.exec(await redis.info('memory'))?.[1]
  if (policy !== undefined && policy !== 'noeviction') throw new QueueEvictionError(policy)
}
