import type { RedisSettings, RedisUnsupportedError } from '@payment-tracking/runtime'
import type { MoreRedisOptions, RedisRoute } from '@payment-tracking/runtime/redis'
import type { Redis } from 'ioredis'
import { announcePayments, type Announcement } from './fanout/announce-payments.js'
import type { PaymentReader } from './fanout/payment-frame.js'
import { buildShardRoutes, listenToShards, routeToAdapter } from './fanout/shard-channels.js'
import { listenToCommits, signalCommit, type CommitSignal } from './fanout/commit-signals.js'
import { listenToSignals, publishSignal } from './fanout/signals.js'
import { RedisUnavailableError } from './errors.js'
import { buildRedisKeys, type RedisKeys } from './keys.js'
import { closeRedis, connectRedis, watchConnection, withDeadline } from './connection.js'

export interface OpenRedisOptions extends RedisSettings {
  /** names the keys; default `production` */
  ENVIRONMENT?: string
  /** shown in `client list` */
  connectionName?: string
  /** each error of a connection; connections come back by themselves */
  onError?: (error: Error) => void
  /** told that the server is no Redis that this service can use; should end the process */
  onUnsupported?: (error: RedisUnsupportedError) => void
  /** how long one call may wait for Redis; default 2,000 */
  timeoutMs?: number
}

export interface RedisConnections {
  readonly keys: RedisKeys
  /** The connection for commands. A command while Redis is away fails at once. */
  readonly commands: Redis
  /** Another connection, for subscriptions, to any node of a cluster; `close` closes it too. */
  connect(purpose: string, more?: MoreRedisOptions): Redis
  /**
   * Reads what is published on the shard channels of a Redis Cluster. Elsewhere there are none: everything comes through
   * the adapter.
   * @param onListening a channel is listened to (again): what was published before may be missing
   */
  listenToShards<R>(reader: PaymentReader<R>, onListening: () => void): void
  /**
   * Notifies the realtime pods of committed payments and life-cycle events, one pipeline for all of them.
   * @returns how many were announced (those with a tracking ID), once Redis took them
   * @throws RedisUnavailableError, at once when Redis is away; what was not announced is announced by
   *   calling again
   */
  announce(announcement: Announcement): Promise<number>
  /** Signals the API's processes that something was stored. Best effort. */
  signalCommit(signal: CommitSignal): Promise<number>
  /** @param onSignal gets each signal; of anything after the connection was away */
  listenToCommits(onSignal: (signal: CommitSignal) => void): void
  /** Signals the workers that webhooks were changed or deleted. Best effort. @param ids of the webhooks */
  signalEndpoints(ids: readonly string[]): Promise<number>
  /** @param onSignal gets the ids of webhooks; null after the connection was away: any may have changed */
  listenToEndpoints(onSignal: (ids: readonly string[] | null) => void): void
  /** Resolves when Redis answers. */
  ping(): Promise<void>
  close(): Promise<void>
}

const PING_INTERVAL_MS = 5_000

/**
 * Opens the connection to Redis. It connects by itself, also when Redis is away at first.
 * @throws RedisUnsupportedError when the settings contradict each other
 */
export function openRedis(options: OpenRedisOptions): RedisConnections {
  const { connectionName = 'payment-tracking', timeoutMs = 2_000 } = options
  const keys = buildRedisKeys(options.ENVIRONMENT ?? 'production')
  const connections: Redis[] = []
  const watches: (() => void)[] = []
  const open = (purpose: string, route: RedisRoute, more?: MoreRedisOptions) => {
    const redis = connectRedis({ ...options, route, connectionName: `${connectionName}:${purpose}` }, more)
    connections.push(redis)
    watches.push(watchConnection(redis, PING_INTERVAL_MS, timeoutMs))
    return redis
  }
  const toChannel = (purpose: string, channel: string) => open(purpose, { key: channel })
  const commands = open('commands', { key: keys.lease('run') })
  let listener: Redis | undefined
  const route = routeToAdapter(commands)
  const routeOf = options.REDIS_CLUSTER ? buildShardRoutes(keys, toChannel) : () => route
  return {
    keys,
    commands,
    connect: (purpose, more) => open(purpose, 'any node', more),
    listenToShards: (reader, onListening) => {
      if (options.REDIS_CLUSTER) listenToShards(keys, toChannel, reader, onListening)
    },
    announce: announcement => announcePayments(routeOf, keys, announcement, timeoutMs),
    signalCommit: signal => signalCommit(commands, keys, signal),
    listenToCommits: onSignal => listenToCommits((listener ??= open('commits', 'any node')), keys, onSignal),
    signalEndpoints: ids => publishSignal(commands, keys.endpoints, ids),
    listenToEndpoints: onSignal => listenToSignals(open('endpoints', 'any node'), keys.endpoints, onSignal),
    async ping() {
      if (commands.status !== 'ready') throw new RedisUnavailableError('not connected to Redis')
      await withDeadline(commands.ping(), timeoutMs, () => new RedisUnavailableError('Redis does not answer'))
    },
    async close() {
      for (const stop of watches) stop()
      await Promise.all(connections.map(closeRedis))
    },
  }
}
