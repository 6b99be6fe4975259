import { randomBytes } from 'node:crypto'
import { Redis } from 'ioredis'
import type { TestContext } from './test-context.js'
import { useServers } from './use-servers.js'

export interface TestRedis {
  /** Names a database number of this test alone: keys are apart, and it may be flushed. */
  url: string
  /** Pub/sub knows no database numbers: channels are only apart when they begin with this. */
  prefix: string
  /** For looking inside; closed with the test. */
  client: Redis
}

/** The servers are started with this many databases; after that many tests numbers come round again. */
const DATABASES = 2048

/** A place in the run's Redis for this test alone, emptied when it ends. */
export async function useRedis(t: TestContext): Promise<TestRedis> {
  const { redisUrl } = await useServers(t)
  const counter = new Redis(redisUrl)
  // Database 0 holds the counter itself.
  const number = 1 + ((await counter.incr('testkit:databases')) % (DATABASES - 1))
  counter.disconnect()
  const url = new URL(redisUrl)
  url.pathname = `/${number}`
  const client = new Redis(url.href)
  t.teardown(async () => {
    await client.flushdb().catch(() => {})
    client.disconnect()
  })
  return { url: url.href, prefix: `t${randomBytes(4).toString('hex')}`, client }
}
