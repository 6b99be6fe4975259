// Work that needs no writer lock, and that any number of processes does at once. Who takes a row of work moves its `next_at` forward.
// If the process dies, another one continues at that time and does the page again.
import { inOneTransaction } from '../database/join-transactions.js'
import type { Store } from '../database/sql.js'
import type { Task } from './run-task.js'
import { takeWork, writeWorkPage, type Work, type WorkPage } from './work-table.js'

/** @param page its statements are one transaction, with those that write what it leaves of its work */
export const underLease = <Page extends WorkPage>(
  page: (store: Store, work: Work, rows: number) => Promise<Page>,
): Task<{ work: Work; page: Page }> => ({
  doPage: async (store, works, rows) => {
    const work = await takeWork(store, works[0]!)
    if (work === null) return null
    const takenAt = performance.now()
    const done = await inOneTransaction(store, async () => {
      const done = await page(store, work, rows)
      for (const statement of writeWorkPage(done)) await store.database.execute(statement)
      return done
    })
    return { result: { work, page: done }, heldMs: performance.now() - takenAt }
  },
})
