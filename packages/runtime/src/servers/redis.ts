import { Type, type Static, type TObject } from 'typebox'
import { Secret, ServerUrl } from '../config.js'
import { ServiceError } from '../error.js'
import { describeTls, readTls, type TlsOptions } from './tls.js'

const tls = describeTls('Redis')

/** The settings of a process that uses Redis; spread into a service's schema. */
export const RedisConfig = {
  REDIS_URL: ServerUrl('redis|rediss', 'Redis, as redis://user:password@host:6379'),
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
}
export type RealtimeRedisConfig = Static<TObject<typeof RealtimeRedisConfig>>

/**
 * The settings of the Redis of the real-time channel. The Sentinels are those of REDIS_URL, so a Redis of its own is
 * reached directly; certificates are the same.
 */
export function realtimeRedisOf<C extends RealtimeRedisConfig>(config: C): C {
  const { REALTIME_REDIS_URL: url } = config
  if (url === undefined) return config
  return {
    ...config,
    REDIS_URL: url,
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

/**
 * @throws RedisUnsupportedError when only one of REDIS_SENTINELS and REDIS_MASTER is set
 */
export function readRedisAddress(config: RedisConfig): RedisAddress {
  const { REDIS_SENTINELS: sentinels, REDIS_MASTER: name } = config
  if ((sentinels === undefined) !== (name === undefined))
    throw new RedisUnsupportedError(
      'REDIS_SENTINELS and REDIS_MASTER are only of use together: set both or none',
    )
  const url = new URL(config.REDIS_URL)
  const options = readTls(config.REDIS_TLS_CA, config.REDIS_TLS_CERT, config.REDIS_TLS_KEY)
  const secure = url.protocol === 'rediss:' || options !== undefined
  const database = url.pathname.slice(1)
  const common: RedisAddress = {
    ...(url.username && { username: decodeURIComponent(url.username) }),
    ...(url.password && { password: decodeURIComponent(url.password) }),
    ...(database && { db: Number(database) }),
    ...(secure && { tls: options ?? {} }),
  }
  if (sentinels === undefined)
    return { ...common, host: url.hostname.replace(/^\[|\]$/g, ''), port: Number(url.port || 6379) }
  return {
    ...common,
    sentinels: sentinels.split(',').map(each => {
      const at = each.lastIndexOf(':')
      return { host: each.slice(0, at).trim(), port: Number(each.slice(at + 1)) }
    }),
    name: name!,
    ...(config.REDIS_SENTINEL_PASSWORD && { sentinelPassword: config.REDIS_SENTINEL_PASSWORD }),
    ...(secure && { enableTLSForSentinelMode: true, sentinelTLS: options ?? {} }),
  }
}

/** The part of a client of Redis that is needed to ask what it is connected to. */
interface RedisClient {
  on(event: 'ready', listener: () => void): unknown
  info(section: string): Promise<string>
}

/**
 * Asks each server that the client connects to for its kind, and tells of one on which commands would fail one by one
 * while the process looks healthy.
 * @param onUnsupported should end the process: no waiting makes this server another one
 */
export function refuseUnsupportedRedis(
  client: RedisClient,
  onUnsupported: ((error: RedisUnsupportedError) => void) | undefined,
): void {
  client.on('ready', () => {
    client.info('server').then(
      info => {
        const reason = UNSUPPORTED[/^redis_mode:(\w+)/m.exec(info)?.[1] ?? '']
        if (reason) onUnsupported?.(new RedisUnsupportedError(reason))
      },
      // The connection broke: the next one is asked.
      () => {},
    )
  })
}

/** By `redis_mode`. */
const UNSUPPORTED: Readonly<Record<string, string | undefined>> = {
  cluster:
    'REDIS_URL or REALTIME_REDIS_URL leads to a node of a Redis Cluster, which is not supported: the keys of one command would lie on ' +
    'several nodes. Use one Redis with replicas behind Sentinel (REDIS_SENTINELS, REDIS_MASTER) or a managed primary.',
  sentinel:
    'REDIS_URL or REALTIME_REDIS_URL leads to a Sentinel, which stores nothing: name it in REDIS_SENTINELS, and its primary in REDIS_MASTER.',
}
