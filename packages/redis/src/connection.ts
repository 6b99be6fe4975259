import { readRedisAddress, REDIS_RECONNECT, type RedisConfig } from '@payment-tracking/runtime'
import { Redis, type RedisOptions } from 'ioredis'

/** Options of the client, but for one that ioredis types apart. */
export type MoreRedisOptions = Omit<RedisOptions, 'replyMapping'>

export interface ConnectOptions extends RedisConfig {
  /** shown in `client list` */
  connectionName: string
  /** called for each error of the connection; it reconnects by itself */
  onError?: (error: Error) => void
}

/**
 * A connection that reconnects for ever and queues nothing meanwhile: a command without a connection fails at once, and
 * a command whose answer was lost is not sent again. So a command for one Redis server never runs unnoticed on the next
 * server.
 */
export function connectRedis(options: ConnectOptions, more: MoreRedisOptions = {}): Redis {
  const redis = new Redis({
    ...readRedisAddress(options),
    connectionName: options.connectionName,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: null,
    ...REDIS_RECONNECT,
    connectTimeout: 5_000,
    keepAlive: 10_000,
    ...more,
  })
  // Without a listener an error of the connection would end the process.
  redis.on('error', error => options.onError?.(error))
  handleRejections(redis)
  return redis
}

/**
 * After a reconnect ioredis selects its database and subscribes again, and drops the promises. If the connection closes
 * before they are answered, an unhandled rejection would end the process. Callers still see the rejections of their own
 * calls.
 */
function handleRejections(redis: Redis): void {
  for (const name of ['select', 'subscribe', 'psubscribe'] as const) {
    const call = redis[name].bind(redis) as (...args: unknown[]) => Promise<unknown>
    const handled = (...args: unknown[]) => {
      const answer = call(...args)
      answer.catch(() => {})
      return answer
    }
    Object.assign(redis, { [name]: handled })
  }
}

/** Settles as `work` does; rejects with `late()` if `work` has not settled after `timeoutMs`. */
export async function withDeadline<T>(work: Promise<T>, timeoutMs: number, late: () => Error): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const deadline = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late()), timeoutMs)
  })
  try {
    return await Promise.race([work, deadline])
  } finally {
    clearTimeout(timer)
  }
}

/**
 * Pings Redis and opens the connection anew when no answer comes in time. A network that drops packets silently leaves a
 * dead connection open for many minutes.
 * @returns a function that ends the watch
 */
export function watchConnection(redis: Redis, intervalMs: number, timeoutMs: number): () => void {
  const timer = setInterval(() => {
    if (redis.status !== 'ready') return
    withDeadline(redis.ping(), timeoutMs, () => new Error('no answer')).catch(() => {
      if (redis.status === 'ready') redis.disconnect(true)
    })
  }, intervalMs)
  timer.unref()
  return () => clearInterval(timer)
}

/** Closes for good, also when Redis is away or does not answer. */
export async function closeRedis(redis: Redis): Promise<void> {
  if (redis.status === 'ready') {
    await withDeadline(redis.quit(), 1_000, () => new Error('late')).catch(() => redis.disconnect())
  } else redis.disconnect()
}
