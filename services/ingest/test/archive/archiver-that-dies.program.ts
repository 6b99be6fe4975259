// An archiver, or a restore, that is killed at its nth step: before a file is written or read, or a transaction runs.
// killed.long.test.ts runs it.
import { openStore } from '@payment-tracking/store'
import { runArchive } from '../../dist/archive/archive-command.js'
import { openArchiveFiles } from '../../dist/archive/open-archive-files.js'
import { archiveOldMonths } from '../../dist/archive/archiver.js'

const [place, dies, does, month] = process.argv.slice(2)
let steps = 0
const step = () => {
  steps += 1
  if (steps === Number(dies)) process.kill(process.pid, 'SIGKILL')
}
const around =
  work =>
  (...args) => {
    step()
    return work(...args)
  }
const opened = await openArchiveFiles(place)
const store = openStore({ DATABASE_URL: process.env.DATABASE_URL, poolSize: 2 })
const { database } = store
const parts = {
  store: {
    ...store,
    database: {
      ...database,
      transaction: around(database.transaction),
      pipelinedTransaction: around(database.pipelinedTransaction),
      execute: around(database.execute),
    },
  },
  files: {
    check: () => opened.check(),
    write: around((name, bytes) => opened.write(name, bytes)),
    read: around(name => opened.read(name)),
  },
  log: { info: () => {}, warn: () => {} },
  say: () => {},
}
if (does === 'restore')
  // What the restore before had begun or ended is no month of the archive any more.
  await runArchive({ does, month }, parts).catch(error => {
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
      guard: { serverRun: async () => undefined },
    },
    new AbortController().signal,
  )
await store.close()
