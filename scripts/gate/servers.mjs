// One private set of servers for all tests of a run.
import { existsSync, mkdtempSync, statfsSync } from 'node:fs'
import { freemem, tmpdir } from 'node:os'
import { join } from 'node:path'
import { guard } from './guard.mjs'

/** Linux' file system in memory; containers mostly have only 64 MB there. */
const MEMORY = '/dev/shm'
/** Several times what the servers of a whole run hold at once. */
const LEAST_SPACE = 6 * 2 ** 30
const LEAST_MEMORY = 12 * 2 ** 30

/**
 * Lets this process and its children keep temporary files in memory where there is enough, unless TMPDIR is set. To create
 * a database takes some 400 files: a tenth of the time that a disk takes, and a busy disk delays no acknowledgement of NATS.
 * No test needs files that survive the machine.
 */
export function useMemoryForFiles() {
  if (process.env.TMPDIR || !existsSync(MEMORY)) return
  const { bavail, bsize } = statfsSync(MEMORY)
  const free = Math.min(freemem(), process.constrainedMemory() || Infinity)
  if (bavail * bsize >= LEAST_SPACE && free >= LEAST_MEMORY) process.env.TMPDIR = MEMORY
}

// The set-up builds these modules, so they do not exist before.
const importTestkit = () => import('../../infra/testkit/dist/index.js')
const importTools = async () => (await import('../../infra/stack/dist/commands.js')).tools

/**
 * Opens Postgres, Redis and NATS, calls `use` with the environment that tells tests about them, and closes them.
 * @param use its result is returned
 */
export async function withServers(use) {
  useMemoryForFiles()
  const tools = await importTools()
  const { ensureTemplate } = await importTestkit()
  await removeAbandonedServers()
  const onClosed = guard('servers')
  const dataDir = mkdtempSync(join(tmpdir(), 'payment-tracking-test-'))
  const servers = await tools.openServers({
    dataDir,
    durable: false,
    subjectPrefixes: ['chain.events', 'test.*', 'e2e.*.*'],
    log: line => console.log(line),
  })
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
    onClosed()
  }
}

/** Ends the servers of test files that were killed. */
export async function removeAbandonedServers() {
  const { removeAbandoned } = await importTestkit()
  await removeAbandoned()
}
