import { existsSync } from 'node:fs'
import { mkdtemp, readdir, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  discardDataDir,
  isDataDirInUse,
  openServers,
  type Servers,
  type ServerUrls,
} from '@payment-tracking/stack'
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
  await removeAbandoned()
  const dataDir = await mkdtemp(join(tmpdir(), TEMPORARY_PREFIX))
  try {
    const subjectPrefixes = ['chain.events', 'test.*', 'e2e.*.*']
    const servers = await openServers({ dataDir, durable: false, quietPorts: true, subjectPrefixes })
    t.teardown(async () => {
      await servers.close()
      await discardDataDir(dataDir)
    })
    return servers
  } catch (error) {
    await discardDataDir(dataDir)
    throw error
  }
}

export const TEMPORARY_PREFIX = 'payment-tracking-test-'
/** A directory without a lock has just been made by a run that is about to lock it, unless the directory is older. */
const YOUNG_MS = 60_000

const isYoung = async (dir: string): Promise<boolean> =>
  !existsSync(join(dir, 'lock')) && Date.now() - (await stat(dir)).mtimeMs < YOUNG_MS

/** Ends and deletes the servers of test files and runs that were killed before they could do it themselves. */
export async function removeAbandoned(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    if (!name.startsWith(TEMPORARY_PREFIX)) continue
    const dir = join(tmpdir(), name)
    try {
      if (isDataDirInUse(dir) || (await isYoung(dir))) continue
      await discardDataDir(dir)
    } catch {
      // Another run is clearing it away at this moment, or it belongs to another user.
    }
  }
}
