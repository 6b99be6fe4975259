// Does work in pages: one page a transaction. A crash loses at most the page that was not committed. Any process can go on.
import type { Store } from '../database/sql.js'
import { StoreTimeoutError } from '../errors.js'
import { bisect } from '../quarantine/bisect.js'
import { quarantine } from '../quarantine/isolate.js'
import type { PageSizer } from './page-sizer.js'
import type { WorkOrder } from './work-order.js'
import { MAX_PAGE_ROWS, nameOf, noteTimeouts, readNextWorks, readOwnWork, type Work } from './work-table.js'

/**
 * What is done to the rows of work of one kind: under the writer lock (under-writer-lock.ts), or each under its own lease
 * (under-lease.ts).
 */
export interface Task<Result> {
  /** its turn comes while no other work waits */
  isLast?: true
  /** the most rows of work that a page of so many rows takes; default: one */
  together?(rows: number): number
  /**
   * Does a page of some rows of work, and writes what it leaves.
   * @returns null when others changed the work meanwhile: nothing was done
   */
  doPage(store: Store, works: readonly Work[], rows: number): Promise<DonePage<Result> | null>
}

export interface DonePage<Result> {
  result: Result
  /** how long the page held what others wait for */
  heldMs: number
}

export interface PageOptions {
  /** chooses the rows of a page; default: as many as a page may have */
  sizer?: Pick<PageSizer, 'rowsOf' | 'note'> | undefined
  /** whose turn it is; default: that of the oldest work */
  order?: Pick<WorkOrder, 'lastOf' | 'note'> | undefined
  /** the only key */
  only?: string | undefined
}

/**
 * A row of work whose pages time out so often, one after the other, is quarantined. Each of them has half the rows of the one before,
 * and comes after all other work.
 */
export const MOST_TIMEOUTS = 5

const NO_ORDER = { lastOf: () => ({ lastPage: 0, lastGateway: '' }), note: () => {} }
const LARGEST = { rowsOf: () => MAX_PAGE_ROWS, note: () => {} }

/**
 * Does the next page of work (`readNextWorks`). A page that fails is halved until one row of work is left, and this row is quarantined
 * (`bisect`). Each half is a transaction of its own, so all other rows are done.
 * @returns what each transaction returned; empty when there is no work
 * @throws StoreUnavailableError, StoreTimeoutError: the page was rolled back and comes again
 * @throws StoreUnverifiedError
 */
export async function runTask<Result>(
  store: Store,
  tasks: Readonly<Record<string, Task<Result>>>,
  { sizer = LARGEST, order = NO_ORDER, only }: PageOptions,
): Promise<Result[]> {
  for (;;) {
    const asked = Object.entries(tasks).map(([kind, task]) => ({
      kind,
      isLast: task.isLast ?? false,
      together: task.together?.(sizer.rowsOf(kind)) ?? 1,
      ...order.lastOf(kind),
    }))
    const due = await (only === undefined
      ? readNextWorks(store, asked)
      : readOwnWork(store, Object.keys(tasks), only))
    if (due.length === 0) return []
    const { kind, gateway, timeouts } = due[0]!
    order.note(kind, gateway)
    // A row whose page has timed out has the page for itself: the next timeout counts against no other row.
    const works = timeouts > 0 ? due.slice(0, 1) : due.filter(work => work.timeouts === 0)
    const rows = Math.max(1, Math.min(MAX_PAGE_ROWS, sizer.rowsOf(kind)) >> timeouts)
    const done = await bisect(
      works,
      async some => {
        const page = await tasks[kind]!.doPage(store, some, rows)
        // A part of a page says nothing about how long a whole one takes.
        if (page !== null && timeouts === 0 && some.length === works.length) sizer.note(kind, page.heldMs)
        return page
      },
      {
        alone: async (work, error) => {
          const isTimeout = error instanceof StoreTimeoutError
          const isOver = !isTimeout || work.timeouts + 1 >= MOST_TIMEOUTS
          if (isOver) await quarantine(store, 'task', nameOf(work), error)
          if (!isTimeout) return []
          await noteTimeouts(store, work, isOver ? 0 : work.timeouts + 1)
          throw error
        },
      },
    )
    const results = done.flatMap(page => (page === null ? [] : [page.result]))
    // Without a result, other work may come first now.
    if (results.length > 0) return results
  }
}
