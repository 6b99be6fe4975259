// An archiver that is killed at its nth step: before or behind a file is written or read, or a transaction runs.
// killed.test.ts runs it.
import { openStore } from '@payment-tracking/store'
import { openArchiveFiles } from '../../dist/archive/open-archive-files.js'
import { archiveOldMonths } from '../../dist/archive/archiver.js'

const [place, months, dies] = process.argv.slice(2)
let steps = 0
const step = () => {
  steps += 1
  if (steps === Number(dies)) process.kill(process.pid, 'SIGKILL')
}
const around = async work => {
  step()
  const result = await work()
  step()
  return result
}
const files = await openArchiveFiles(place)
const store = openStore({ DATABASE_URL: process.env.DATABASE_URL, poolSize: 2 })
await archiveOldMonths(
  {
    store,
    files: {
      check: () => files.check(),
      write: (name, bytes) => around(() => files.write(name, bytes)),
      read: name => around(() => files.read(name)),
    },
    months: Number(months),
    folder: 'test',
    settledSeconds: 0,
    eventsAPart: 40,
    restoredDays: 30,
    // Several pages a file: it is killed between them too.
    sizer: { rowsOf: () => 15, note: () => {} },
    // Asked before each transaction.
    guard: { serverRun: async () => step() },
    log: { info: () => {}, warn: () => {} },
  },
  new AbortController().signal,
)
await store.close()
