// An archiver, or a restore, that is killed at its nth step: before a file is written or read, or a transaction runs.
// killed.long.test.ts runs it.
import { openStore, type Store } from '@payment-tracking/store/core'
import { runArchive } from '../../src/archive/archive-command.js'
import { archiveOldMonths } from '../../src/archive/archiver.js'
import { openArchiveFiles } from '../../src/archive/open-archive-files.js'

const [location, dies, does, month] = process.argv.slice(2) as [string, string, string, string]
let steps = 0
const step = () => {
  steps += 1
  if (steps === Number(dies)) process.kill(process.pid, 'SIGKILL')
}
const around =
  <Args extends unknown[], Result>(work: (...args: Args) => Result) =>
  (...args: Args): Result => {
    step()
    return work(...args)
  }
const opened = await openArchiveFiles(location)
const store = openStore({ DATABASE_URL: process.env.DATABASE_URL!, poolSize: 2 })
type Call = (...args: unknown[]) => Promise<unknown>
const { database } = store as unknown as {
  database: Record<'transaction' | 'pipelinedTransaction' | 'execute', Call>
}
const parts = {
  store: {
    ...store,
    database: {
      ...database,
      transaction: around(database.transaction),
      pipelinedTransaction: around(database.pipelinedTransaction),
      execute: around(database.execute),
    },
  } as unknown as Store,
  files: {
    check: () => opened.check(),
    write: around((name: string, bytes: Buffer) => opened.write(name, bytes)),
    read: around((name: string) => opened.read(name)),
  },
  log: { info: () => {}, warn: () => {} },
  say: () => {},
}
if (does === 'restore')
  // What the restore before had begun or ended is no month of the archive any more.
  await runArchive({ does, month }, parts).catch((error: Error) => {
    if (!error.message.startsWith('nothing of ')) throw error
  })
else
  await archiveOldMonths(
    {
      ...parts,
      months: Number(month),
      folder: 'test',
      settledSeconds: 0,
      eventsAPart: 60,
      everyMs: 1_000,
      guard: { serverRun: async () => undefined },
    },
    new AbortController().signal,
  )
await store.close()
