import { ServerUrl } from '@payment-tracking/runtime'
import type { PaymentFacts } from '@payment-tracking/contracts'
import type { Redis } from 'ioredis'
import { announcePayments } from './announcer.js'
import { SignalUnavailableError } from './errors.js'
import { buildSignalKeys, type SignalKeys } from './keys.js'
import { closeRedis, connectRedis, watchConnection, withDeadline, type MoreRedisOptions } from './redis.js'

/** The settings of whoever opens a signal; spread into a service's schema. */
export const SignalConfig = {
  REDIS_URL: ServerUrl('redis|rediss', 'the Redis for pub/sub, leases and the queue'),
}

export interface SignalOptions {
  REDIS_URL: string
  /** names the keys; default `production` */
  ENVIRONMENT?: string
  /** shown in `client list` */
  connectionName?: string
  /** each error of a connection; connections come back by themselves */
  onError?: (error: Error) => void
  /** how long one call may wait for Redis; default 2,000 */
  timeoutMs?: number
}

export interface Signal {
  readonly keys: SignalKeys
  /** The connection for commands. A command while Redis is away fails at once. */
  readonly redis: Redis
  /** Another connection with the same manners, for subscriptions; closed with the signal. */
  connect(purpose: string, more?: MoreRedisOptions): Redis
  /**
   * Tells the realtime pods of committed payments, one pipeline for all of them.
   * @returns how many were announced (those with a tracking ID), once Redis took them
   * @throws SignalUnavailableError, at once when Redis is away; what was not announced is announced by
   *   calling again
   */
  announce(payments: readonly PaymentFacts[], committedAtMs?: number): Promise<number>
  /** Resolves when Redis answers. */
  ping(): Promise<void>
  close(): Promise<void>
}

const PING_INTERVAL_MS = 5_000

/** Opens the connection to Redis. It connects by itself, also when Redis is away at first. */
export function openSignal(options: SignalOptions): Signal {
  const { connectionName = 'payment-tracking', timeoutMs = 2_000 } = options
  const keys = buildSignalKeys(options.ENVIRONMENT ?? 'production')
  const connections: Redis[] = []
  const watches: (() => void)[] = []
  const connect = (purpose: string, more?: MoreRedisOptions) => {
    const redis = connectRedis({ ...options, connectionName: `${connectionName}:${purpose}` }, more)
    connections.push(redis)
    watches.push(watchConnection(redis, PING_INTERVAL_MS, timeoutMs))
    return redis
  }
  const redis = connect('commands')
  return {
    keys,
    redis,
    connect,
    announce: (payments, committedAtMs = Date.now()) =>
      announcePayments(redis, keys, payments, committedAtMs, timeoutMs),
    async ping() {
      if (redis.status !== 'ready') throw new SignalUnavailableError('not connected to Redis')
      await withDeadline(redis.ping(), timeoutMs, () => new SignalUnavailableError('Redis does not answer'))
    },
    async close() {
      for (const stop of watches) stop()
      await Promise.all(connections.map(closeRedis))
    },
  }
}
