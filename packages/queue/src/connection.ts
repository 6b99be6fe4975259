// The two kinds of Redis connection a queue needs, and the names of its keys.
import {
  readRedisAddress,
  REDIS_RECONNECT,
  refuseUnsupportedRedis,
  type RedisConfig,
  type RedisUnsupportedError,
} from '@payment-tracking/runtime'
import { Redis } from 'ioredis'
import { QueueEvictionError } from './errors.js'

export interface QueueOptions extends RedisConfig {
  /** keeps deployments that share a Redis apart */
  ENVIRONMENT: string
  /** connection errors. The connection recovers by itself, and no call rejects because of them. */
  onError?: (error: Error) => void
  /** told that the server is no Redis that this service can use; should end the process */
  onUnsupported?: (error: RedisUnsupportedError) => void
}

/** In a hash tag, so that all keys of a queue live in one slot of a Redis Cluster. */
export const queuePrefix = (environment: string): string => `{payment-tracking:${environment}}`

/** A producer must not wait for Redis: calls fail within this. */
export const COMMAND_TIMEOUT_MS = 2_000

/** For producers and readers: a command without a connection fails at once. */
export function connectProducer(options: QueueOptions): Redis {
  const redis = new Redis({
    ...readRedisAddress(options),
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    commandTimeout: COMMAND_TIMEOUT_MS,
    ...REDIS_RECONNECT,
  })
  redis.on('error', error => options.onError?.(error))
  refuseUnsupportedRedis(redis, options.onUnsupported)
  return redis
}

/** For workers: commands wait until Redis is back, without a limit. */
export function connectConsumer(options: QueueOptions): Redis {
  const redis = new Redis({
    ...readRedisAddress(options),
    maxRetriesPerRequest: null,
    ...REDIS_RECONNECT,
  })
  redis.on('error', error => options.onError?.(error))
  refuseUnsupportedRedis(redis, options.onUnsupported)
  return redis
}

/** @throws QueueEvictionError when Redis is set to evict keys */
export async function refuseEviction(redis: Redis): Promise<void> {
  const policy = /^maxmemory_policy:(\S+)/m.exec(await redis.info('memory'))?.[1]
  if (policy !== undefined && policy !== 'noeviction') throw new QueueEvictionError(policy)
}
