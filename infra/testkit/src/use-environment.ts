import { createDatabase } from './create-database.js'
import type { TestContext } from './test-context.js'
import { useNats } from './use-nats.js'
import { useRedis } from './use-redis.js'

/** A database, and places in the run's Redis and NATS, for the services of one test. The stream is not made. */
export async function useEnvironment(t: TestContext) {
  const [database, redis, nats] = await Promise.all([createDatabase(t), useRedis(t), useNats(t)])
  /** What every service of this environment shares. */
  const settings = {
    DATABASE_URL: database.url,
    REDIS_URL: redis.url,
    NATS_URL: nats.url,
    STREAM_NAME: nats.stream,
    SUBJECT_PREFIX: nats.subjectPrefix,
    ENVIRONMENT: redis.prefix,
  }
  return { database, redis, nats, settings }
}
