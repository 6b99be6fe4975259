// What every connection to Redis has in common, whichever package opens it: this package knows no Redis client.
import { ServerUrl } from './config.js'

/** The setting of a service that uses Redis; spread into its schema. */
export const RedisConfig = {
  REDIS_URL: ServerUrl('redis|rediss', 'Redis, as redis://user:password@host:6379'),
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
