// The three kinds of Redis connection that a queue needs, and the names of its keys.
import type { RedisSettings, RedisUnsupportedError } from '@payment-tracking/runtime'
import { connectToRedis } from '@payment-tracking/runtime/redis'
import type { Redis } from 'ioredis'

export interface QueueOptions extends RedisSettings {
  /** keeps deployments that share a Redis apart */
  ENVIRONMENT: string
  /** connection errors. The connection recovers by itself, and no call rejects because of them. */
  onError?: (error: Error) => void
  /** told that the server is no Redis that this service can use; should end the process */
  onUnsupported?: (error: RedisUnsupportedError) => void
}

/** In a hash tag, so that all keys of a queue live in one slot of a Redis Cluster. */
export const queuePrefix = (environment: string): string => `{payment-tracking:${environment}}`

const routeOf = ({ ENVIRONMENT }: QueueOptions) => ({ key: queuePrefix(ENVIRONMENT) })

/** A producer must not wait for Redis: calls fail within this. */
const COMMAND_TIMEOUT_MS = 2_000

/** For producers: a command without a connection fails at once. */
export const connectProducer = (options: QueueOptions): Redis =>
  connectToRedis(
    { ...options, route: routeOf(options) },
    { enableOfflineQueue: false, maxRetriesPerRequest: 0, commandTimeout: COMMAND_TIMEOUT_MS },
  )

/** For readers such as the dashboard: a command waits for the connection, but not for long. */
export const connectReader = (options: QueueOptions): Redis =>
  connectToRedis(
    { ...options, route: routeOf(options) },
    { maxRetriesPerRequest: null, commandTimeout: COMMAND_TIMEOUT_MS },
  )

/**
 * For workers: commands wait until Redis is back, without a limit. BullMQ's worker would stop for good at an answer such
 * as MOVED; it sends no transactions.
 */
export const connectConsumer = (options: QueueOptions): Redis =>
  connectToRedis({ ...options, route: routeOf(options), waitsForNode: true }, { maxRetriesPerRequest: null })
