import { repeat } from '@payment-tracking/runtime'
import {
  connectToRedis,
  reconnect,
  type ConnectOptions as RuntimeConnectOptions,
  type MoreRedisOptions,
} from '@payment-tracking/runtime/redis'
import type { Redis } from 'ioredis'

interface ConnectOptions extends Omit<RuntimeConnectOptions, 'waitsForNode'> {
  /** shown in `client list` */
  connectionName: string
}

/**
 * A connection that reconnects for ever and queues nothing meanwhile: a command without a connection fails at once, and
 * a command whose answer was lost is not sent again. So a command for one Redis server never runs unnoticed on the next
 * server.
 */
export function connectRedis(options: ConnectOptions, more: MoreRedisOptions = {}): Redis {
  const redis = connectToRedis(options, {
    connectionName: options.connectionName,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: null,
    connectTimeout: 5_000,
    keepAlive: 10_000,
    ...more,
  })
  handleRejections(redis)
  return redis
}

/**
 * After a reconnect ioredis selects its database and subscribes again, and drops the promises. If the connection closes
 * before they are answered, an unhandled rejection would end the process. Callers still see the rejections of their own
 * calls.
 */
function handleRejections(redis: Redis): void {
  for (const name of ['select', 'subscribe', 'psubscribe', 'ssubscribe'] as const) {
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
 * Pings Redis and opens the connection anew when no answer comes in time. A network that drops packets silently, and a
 * server that was paused, leave a dead connection open for many minutes.
 * @returns a function that ends the watch
 */
export function watchConnection(redis: Redis, intervalMs: number, timeoutMs: number): () => void {
  let opening = false
  const checking = repeat({
    everyMs: intervalMs,
    ref: false,
    run: () => {
      // The server took the connection and says nothing: it was opening at the last check already.
      if (redis.status === 'connect' && opening) reconnect(redis)
      opening = redis.status === 'connect'
      if (redis.status !== 'ready') return
      withDeadline(redis.ping(), timeoutMs, () => new Error('no answer')).catch(() => reconnect(redis))
    },
    onError: () => reconnect(redis),
  })
  checking.start()
  return () => void checking.stop()
}

/** Closes for good, also when Redis is away or does not answer. */
export async function closeRedis(redis: Redis): Promise<void> {
  if (redis.status === 'ready') {
    await withDeadline(redis.quit(), 1_000, () => new Error('late')).catch(() => redis.disconnect())
  } else redis.disconnect()
}
