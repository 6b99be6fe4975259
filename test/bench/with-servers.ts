import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openServers, type ServerUrls } from '@payment-tracking/stack'
import type { BenchContext } from './bench.js'

/** Runs `work` with a context of its own, and closes what it opened. */
export async function withContext<T>(
  context: Omit<BenchContext, 'teardown'>,
  work: (context: BenchContext) => Promise<T>,
): Promise<T> {
  const closers: (() => unknown)[] = []
  try {
    return await work({ ...context, teardown: close => closers.push(close) })
  } finally {
    for (const close of closers.reverse()) await close()
  }
}

/**
 * Runs `work` with servers, and stops them when it ends and when the program is told to stop. Servers of your own are used
 * when DATABASE_URL, REDIS_URL and NATS_URL name them.
 */
export async function withServers(work: (servers: ServerUrls) => Promise<void>): Promise<void> {
  const { DATABASE_URL: postgres, REDIS_URL: redis, NATS_URL: nats } = process.env
  const dataDir = mkdtempSync(join(tmpdir(), 'payment-tracking-bench-'))
  const servers = await openServers({ dataDir, urls: { postgres, redis, nats }, log: () => {} })
  let closed: Promise<void> | undefined
  const close = () =>
    (closed ??= servers.close().then(() => rmSync(dataDir, { recursive: true, force: true })))
  // Services end with this process; servers do not. A second signal must not cut this short.
  for (const name of ['SIGINT', 'SIGTERM'] as const)
    process.on(name, () => void close().finally(() => process.exit(1)))
  try {
    await work(servers)
  } finally {
    await close()
  }
}
