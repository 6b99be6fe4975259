import { Type, type Static, type TObject } from 'typebox'
import { Flag, Secret, ServerUrl } from '../config.js'
import { ServiceError } from '../error.js'
import { describeTls, readTls, type TlsOptions } from './tls.js'

const tls = describeTls('Redis')

/** The settings of a process that uses Redis; spread into a service's schema. */
export const RedisConfig = {
  REDIS_URL: ServerUrl('redis|rediss', 'Redis, as redis://user:password@host:6379'),
  REDIS_CLUSTER: Type.Optional(
    Flag(
      false,
      'REDIS_URL names nodes of a Redis Cluster, comma separated; user, password and TLS are those of the first',
    ),
  ),
  REDIS_SENTINELS: Type.Optional(
    Type.String({
      pattern: '^[^,\\s]+:\\d+(\\s*,\\s*[^,\\s]+:\\d+)*$',
      description:
        'Sentinels as host:port, comma separated; they name the primary, and REDIS_URL gives user, password and TLS alone',
    }),
  ),
  REDIS_MASTER: Type.Optional(
    Type.String({ minLength: 1, description: 'the name under which the Sentinels know the primary' }),
  ),
  REDIS_SENTINEL_PASSWORD: Type.Optional(Secret('the password of the Sentinels')),
  REDIS_TLS_CA: tls.ca,
  REDIS_TLS_CERT: tls.cert,
  REDIS_TLS_KEY: tls.key,
}
export type RedisConfig = Static<TObject<typeof RedisConfig>>

/** The settings of a process that takes part in the real-time channel. */
export const RealtimeRedisConfig = {
  ...RedisConfig,
  REALTIME_REDIS_URL: Type.Optional(
    ServerUrl(
      'redis|rediss',
      'a Redis of its own for the real-time channel, the same for ingest and realtime; without it REDIS_URL serves both',
    ),
  ),
  REALTIME_REDIS_CLUSTER: Type.Optional(
    Flag(false, 'REALTIME_REDIS_URL names nodes of a Redis Cluster, comma separated'),
  ),
}
export type RealtimeRedisConfig = Static<TObject<typeof RealtimeRedisConfig>>

/** The settings of one Redis, and how its two settings are called in messages. */
export interface RedisSettings extends RedisConfig {
  settingNames?: { url: string; cluster: string }
}

/**
 * The settings of the Redis of the real-time channel. The Sentinels are those of REDIS_URL, so a Redis of its own is
 * reached directly, or as a cluster; certificates are the same.
 */
export function realtimeRedisOf<C extends RealtimeRedisConfig>(
  config: C,
): C & Pick<RedisSettings, 'settingNames'> {
  const { REALTIME_REDIS_URL: url } = config
  if (url === undefined) return config
  return {
    ...config,
    settingNames: { url: 'REALTIME_REDIS_URL', cluster: 'REALTIME_REDIS_CLUSTER' },
    REDIS_URL: url,
    REDIS_CLUSTER: config.REALTIME_REDIS_CLUSTER ?? false,
    REDIS_SENTINELS: undefined,
    REDIS_MASTER: undefined,
    REDIS_SENTINEL_PASSWORD: undefined,
  }
}

const FIRST_DELAY_MS = 50
const LONGEST_DELAY_MS = 1_000

/**
 * The reconnect policy, as options of ioredis: wait 50 ms after the first failure, twice as long after each further
 * one, at most 1 s, and never give up. A server that answers READONLY was demoted: connecting again follows the URL's
 * name to the new primary. Redis' error codes are the first word of its error messages.
 */
export const REDIS_RECONNECT = {
  retryStrategy: (attempt: number): number =>
    Math.min(FIRST_DELAY_MS * 2 ** Math.min(attempt - 1, 10), LONGEST_DELAY_MS),
  reconnectOnError: (error: Error): boolean => error.message.startsWith('READONLY '),
}

/** The Redis behind the settings is one that this service cannot use. */
export class RedisUnsupportedError extends ServiceError {
  readonly code = 'REDIS_UNSUPPORTED'
  readonly retry = 'never'
}

/** Redis is set to evict keys, and would drop seats and jobs in silence: set `maxmemory-policy noeviction`. */
export class RedisEvictionError extends ServiceError {
  readonly code = 'REDIS_EVICTION'
  readonly retry = 'never'

  constructor(policy: string) {
    super(`Redis evicts keys (maxmemory-policy ${policy}): set it to noeviction`)
  }
}

/** What ioredis needs to connect, as its options. */
export interface RedisAddress {
  host?: string
  port?: number
  username?: string
  password?: string
  db?: number
  tls?: TlsOptions
  sentinels?: { host: string; port: number }[]
  name?: string
  sentinelPassword?: string
  enableTLSForSentinelMode?: boolean
  sentinelTLS?: TlsOptions
}

/** Nodes of a Redis Cluster, any of which can name the others. */
export interface ClusterAddress extends Pick<RedisAddress, 'username' | 'password' | 'tls'> {
  nodes: { host: string; port: number }[]
}

const hostOf = (url: URL) => ({ host: url.hostname.replace(/^\[|\]$/g, ''), port: Number(url.port || 6379) })

/**
 * The address of one Redis, of Sentinels, or of the nodes of a cluster.
 * @throws RedisUnsupportedError when the settings contradict each other. Its line names the settings and the cure.
 */
export function readRedisAddress(config: RedisSettings): RedisAddress | ClusterAddress {
  const { REDIS_SENTINELS: sentinels, REDIS_MASTER: name, REDIS_CLUSTER: isCluster = false } = config
  const { url: urlName, cluster: clusterName } = config.settingNames ?? SETTING_NAMES
  if ((sentinels === undefined) !== (name === undefined))
    throw new RedisUnsupportedError(
      'REDIS_SENTINELS and REDIS_MASTER are only of use together: set both or none',
    )
  const parts = config.REDIS_URL.split(',').map(part => part.trim())
  if (parts.length > 1 && !isCluster)
    throw new RedisUnsupportedError(
      `${urlName} names several servers: set ${clusterName}=on if they are nodes of a Redis Cluster, or name one`,
    )
  const urls = parts.map(part => readUrl(part, urlName))
  const [url] = urls as [URL]
  const options = readTls(config.REDIS_TLS_CA, config.REDIS_TLS_CERT, config.REDIS_TLS_KEY)
  const secure = url.protocol === 'rediss:' || options !== undefined
  const database = url.pathname.slice(1)
  const common = {
    ...(url.username && { username: decodeURIComponent(url.username) }),
    ...(url.password && { password: decodeURIComponent(url.password) }),
    ...(secure && { tls: options ?? {} }),
  }
  if (isCluster) {
    if (sentinels !== undefined)
      throw new RedisUnsupportedError(
        `${clusterName} and REDIS_SENTINELS exclude each other: a Redis Cluster has no Sentinels; remove one of them`,
      )
    if (database !== '' && database !== '0')
      throw new RedisUnsupportedError(
        `${urlName} names database ${database}: a Redis Cluster has database 0 alone; remove /${database}`,
      )
    return { ...common, nodes: urls.map(hostOf) }
  }
  const one = { ...common, ...(database && { db: Number(database) }) }
  if (sentinels === undefined) return { ...one, ...hostOf(url) }
  return {
    ...one,
    sentinels: sentinels.split(',').map(each => {
      const at = each.lastIndexOf(':')
      return { host: each.slice(0, at).trim(), port: Number(each.slice(at + 1)) }
    }),
    name: name!,
    ...(config.REDIS_SENTINEL_PASSWORD && { sentinelPassword: config.REDIS_SENTINEL_PASSWORD }),
    ...(secure && { enableTLSForSentinelMode: true, sentinelTLS: options ?? {} }),
  }
}

const SETTING_NAMES = { url: 'REDIS_URL', cluster: 'REDIS_CLUSTER' } as const

/** Nodes after the first may leave out the scheme. */
function readUrl(text: string, name: string): URL {
  try {
    return new URL(text.includes('://') ? text : `redis://${text}`)
  } catch (cause) {
    throw new RedisUnsupportedError(`${name} holds an address that is no URL`, { cause })
  }
}

/**
 * Says why a server does not fit the settings; undefined when it fits. A process asks before it starts, because on such a
 * server single commands fail while the process looks healthy.
 * @param info the server's answer to INFO server
 */
export function findRedisProblem(config: RedisSettings, info: string): RedisUnsupportedError | undefined {
  const { url, cluster } = config.settingNames ?? SETTING_NAMES
  const mode = /^redis_mode:(\w+)/m.exec(info)?.[1]
  if (mode === 'sentinel')
    return new RedisUnsupportedError(
      `${url} leads to a Sentinel, which stores nothing: name it in REDIS_SENTINELS, and its primary in REDIS_MASTER`,
    )
  if (mode === 'cluster' && !config.REDIS_CLUSTER)
    return new RedisUnsupportedError(`${url} leads to a node of a Redis Cluster: set ${cluster}=on`)
  if (mode === 'standalone' && config.REDIS_CLUSTER)
    return new RedisUnsupportedError(
      `${cluster} is on and ${url} leads to a Redis that is no node of a cluster: set ${cluster}=off`,
    )
  return undefined
}
