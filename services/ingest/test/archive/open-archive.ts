// An archive in a directory, and an archiver that keeps what happened since April 2026.
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import type { Store } from '@payment-tracking/store/core'
import type { TestContext } from '@payment-tracking/testkit'
import type { ArchiveFiles } from '../../src/archive/archive-files.js'
import { openArchiveFiles } from '../../src/archive/open-archive-files.js'
import { archiveOldMonths, type ArchiverOptions } from '../../src/archive/archiver.js'

const KEPT_SINCE = new Date('2026-04-01T00:00:00Z')

/** The number of months before this one that are kept, so that lists begin with the month of a time. */
export const monthsBefore = (first: Date, now = new Date()): number =>
  (now.getUTCFullYear() - first.getUTCFullYear()) * 12 + now.getUTCMonth() - first.getUTCMonth()

export async function makeDirectory(t: TestContext): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), `archive-${randomUUID().slice(0, 8)}-`))
  t.teardown(() => rm(directory, { recursive: true, force: true }))
  return directory
}

type Transaction = (...args: unknown[]) => Promise<unknown>

/** A store that lets a test look behind each transaction: a page that shrinks or is filled, or a move of the number. */
export function watched(store: Store, check: (kind: 'page' | 'move') => unknown): Store {
  const { database } = store as unknown as {
    database: { transaction: Transaction; pipelinedTransaction: Transaction }
  }
  const watch =
    (run: Transaction, kind: 'page' | 'move'): Transaction =>
    async (...args) => {
      const result = await run(...args)
      await check(kind)
      return result
    }
  const pools = {
    ...database,
    transaction: watch(database.transaction, 'page'),
    pipelinedTransaction: watch(database.pipelinedTransaction, 'move'),
  }
  return { ...store, database: pools } as unknown as Store
}

/** A store that stops the archiver behind so many pages. */
export function stoppingAfter(store: Store, pages: number, stop: AbortController): Store {
  let left = pages
  return watched(store, kind => {
    if (kind === 'page') left -= 1
    if (left === 0) stop.abort()
  })
}

export interface TestArchive {
  directory: string
  files: ArchiveFiles
  logs: string[]
  /** Archives all that may be. */
  run: (options?: Partial<ArchiverOptions>, stop?: AbortSignal) => Promise<void>
}

export async function openArchive(t: TestContext, store: Store): Promise<TestArchive> {
  const directory = await makeDirectory(t)
  const files = await openArchiveFiles(directory)
  const logs: string[] = []
  const say = (fields: object, message: string) => void logs.push(`${message} ${inspect(fields)}`)
  return {
    directory,
    files,
    logs,
    run: (options = {}, stop = new AbortController().signal) =>
      archiveOldMonths(
        {
          store,
          files,
          months: monthsBefore(KEPT_SINCE),
          folder: 'test',
          everyMs: 1_000,
          settledSeconds: 0,
          eventsAPart: 150,
          guard: { serverRun: () => Promise.resolve(undefined) },
          log: { info: say, warn: say } as ArchiverOptions['log'],
          ...options,
        },
        stop,
      ),
  }
}
