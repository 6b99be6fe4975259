// One private set of servers for all tests of a run.
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * Opens Postgres, Redis and NATS, calls `use` with the environment that tells tests about them, and closes them.
 * @param log gets a line of progress
 * @param use its result is returned
 */
export async function withServers(log, use) {
  // The set-up builds this module, so it does not exist before.
  const { tools } = await import('../../infra/stack/dist/commands.js')
  const { ensureTemplate, removeAbandoned } = await import('../../infra/testkit/dist/index.js')
  await removeAbandoned()
  const dataDir = mkdtempSync(join(tmpdir(), 'payment-tracking-test-'))
  const servers = await tools.openServers({ dataDir, durable: false, log })
  try {
    await ensureTemplate(servers.databaseUrl)
    return await use({
      TEST_DATABASE_URL: servers.databaseUrl,
      TEST_REDIS_URL: servers.redisUrl,
      TEST_NATS_URL: servers.natsUrl,
    })
  } finally {
    await servers.close()
    await tools.discardDataDir(dataDir)
  }
}

/** Ends the servers of test files that were killed. */
export async function removeAbandonedServers() {
  const { removeAbandoned } = await import('../../infra/testkit/dist/index.js')
  await removeAbandoned()
}
