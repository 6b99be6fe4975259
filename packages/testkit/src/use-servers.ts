import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openServers, type Servers, type ServerUrls } from '@payment-tracking/stack'
import { outermost, type TestContext } from './test-context.js'

let shared: Promise<ServerUrls> | undefined

/**
 * Postgres, Redis and NATS for tests that leave them running. A test run starts one set for all its files
 * (TEST_DATABASE_URL, TEST_REDIS_URL, TEST_NATS_URL); a file run by hand starts its own and stops it at its end.
 */
export function useServers(t: TestContext): Promise<ServerUrls> {
  shared ??= (async () => {
    const { TEST_DATABASE_URL, TEST_REDIS_URL, TEST_NATS_URL } = process.env
    if (TEST_DATABASE_URL && TEST_REDIS_URL && TEST_NATS_URL) {
      return { databaseUrl: TEST_DATABASE_URL, redisUrl: TEST_REDIS_URL, natsUrl: TEST_NATS_URL }
    }
    return openTemporaryServers(outermost(t))
  })()
  return shared
}

/** Servers of this test alone, which it may kill and restart: `servers.private.redis.kill()`. */
export const openPrivateServers = (t: TestContext): Promise<Servers> => openTemporaryServers(t)

async function openTemporaryServers(t: TestContext): Promise<Servers> {
  const dataDir = await mkdtemp(join(tmpdir(), 'payment-tracking-test-'))
  try {
    const servers = await openServers({ dataDir, durable: false })
    t.teardown(async () => {
      await servers.close()
      await rm(dataDir, { recursive: true, force: true })
    })
    return servers
  } catch (error) {
    await rm(dataDir, { recursive: true, force: true })
    throw error
  }
}
