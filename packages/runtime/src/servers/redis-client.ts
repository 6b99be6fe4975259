// The one place that opens connections to Redis: to one server, to the primary that Sentinels name, or to a node of a
// cluster.
import { Redis, type RedisOptions } from 'ioredis'
import { waitAtMost } from '../wait-at-most.js'
import { buildClusterConnector, type RedisRoute } from './cluster-connector.js'
import {
  findRedisProblem,
  readRedisAddress,
  REDIS_RECONNECT,
  RedisEvictionError,
  type ClusterAddress,
  type RedisSettings,
  type RedisUnsupportedError,
} from './redis.js'

export type { RedisRoute } from './cluster-connector.js'

/** Options of the client, but for one that ioredis types apart. */
export type MoreRedisOptions = Omit<RedisOptions, 'replyMapping'>

export interface ConnectOptions extends RedisSettings {
  /** the node of a cluster; without a cluster there is one */
  route: RedisRoute
  /** each error of the connection; it comes back by itself */
  onError?: ((error: Error) => void) | undefined
  /** told that the server is no Redis that this service can use; should end the process */
  onUnsupported?: ((error: RedisUnsupportedError) => void) | undefined
  /** Whether a command that a node of a cluster refuses to serve waits for the node that does. No part of a transaction may. */
  waitsForNode?: boolean
}

/** Errors by which a node says that it does not serve the key (now): nothing was executed. */
const ELSEWHERE = /^(MOVED|ASK|TRYAGAIN|CLUSTERDOWN|MASTERDOWN|LOADING) /

/** Opens a connection, which reconnects for ever. */
export function connectToRedis(options: ConnectOptions, more: MoreRedisOptions = {}): Redis {
  const address = readRedisAddress(options)
  const redis = new Redis(
    'nodes' in address
      ? { ...optionsOfCluster(address, options), ...more }
      : { ...address, ...REDIS_RECONNECT, ...more },
  )
  // Without a listener an error of the connection would end the process.
  redis.on('error', (error: Error) => {
    if (isNoCluster(error)) options.onUnsupported?.(findRedisProblem(options, 'redis_mode:standalone')!)
    options.onError?.(error)
  })
  // Shard channels moved to another node.
  redis.on('moved', () => reconnect(redis))
  refuseUnsupported(redis, options)
  return redis
}

function optionsOfCluster(
  { nodes, ...credentials }: ClusterAddress,
  options: ConnectOptions,
): MoreRedisOptions {
  const onElsewhere = options.waitsForNode ? 2 : true
  return {
    ...credentials,
    ...REDIS_RECONNECT,
    reconnectOnError: (error: Error) =>
      ELSEWHERE.test(error.message) ? onElsewhere : REDIS_RECONNECT.reconnectOnError(error),
    Connector: buildClusterConnector({ nodes, ...credentials }, options.route),
  }
}

/**
 * Opens the connection anew. A connection that is just being opened is left alone: ioredis would give it up for good.
 */
export function reconnect(redis: Redis): void {
  if (redis.status === 'ready' || redis.status === 'connect') redis.disconnect(true)
}

const isNoCluster = (error: Error): boolean => error.message.includes('cluster support disabled')

/** Asks each server that the client connects to for its kind. */
function refuseUnsupported(client: Redis, options: ConnectOptions): void {
  const { onUnsupported } = options
  if (!onUnsupported) return
  client.on('ready', () => {
    client.info('server').then(
      info => {
        const problem = findRedisProblem(options, info)
        if (problem) onUnsupported(problem)
      },
      // The connection broke: the next one is asked.
      () => {},
    )
  })
}

const CHECK_WITHIN_MS = 2_000

/**
 * The check at the start of a service, before it opens anything. A Redis that is away passes: it is checked when it
 * comes.
 * @throws RedisUnsupportedError when the settings contradict each other, or the server is of another kind
 */
export async function checkRedis(settings: RedisSettings): Promise<void> {
  let problem: RedisUnsupportedError | undefined
  const redis = connectToRedis({
    ...settings,
    route: 'any node',
    onUnsupported: error => (problem ??= error),
  })
  const asked = new Promise<void>(resolve => {
    redis.on('error', (error: Error) => isNoCluster(error) && resolve())
    redis.once('ready', () => {
      redis.info('server').then(
        () => resolve(),
        () => resolve(),
      )
    })
  })
  await waitAtMost(CHECK_WITHIN_MS, () => asked)
  redis.disconnect()
  if (problem) throw problem
}

/** @throws RedisEvictionError when Redis is set to evict keys; what the client throws when it does not answer */
export async function checkKeepsKeys(redis: Redis): Promise<void> {
  const policy = /^maxmemory_policy:(\S+)/m.exec(await redis.info('memory'))?.[1]
  if (policy !== undefined && policy !== 'noeviction') throw new RedisEvictionError(policy)
}
