import { createDatabase, type TestDatabase } from './create-database.js'
import type { TestContext } from './test-context.js'
import { useNats, type TestNats } from './use-nats.js'
import { useRedis, type TestRedis } from './use-redis.js'

export interface TestEnvironment {
  database: TestDatabase
  redis: TestRedis
  nats: TestNats
  /** The settings that every service of this environment shares. */
  settings: Record<
    'DATABASE_URL' | 'REDIS_URL' | 'NATS_URL' | 'STREAM_NAME' | 'SUBJECT_PREFIX' | 'ENVIRONMENT',
    string
  >
}

/** A database, and places in the run's Redis and NATS, for the services of one test. The stream is not made. */
export async function useEnvironment(t: TestContext): Promise<TestEnvironment> {
  const [database, redis, nats] = await Promise.all([createDatabase(t), useRedis(t), useNats(t)])
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
