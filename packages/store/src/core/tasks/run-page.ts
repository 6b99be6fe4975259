// Does work that needs the writer lock in pages: one page a transaction. A crash loses at most the page that was not committed.
// Any process of ingest can go on.
import { PAGE_LIMITS } from '../database/database.js'
import type { Store } from '../database/open-store.js'
import type { PipelinedTx } from '../database/pipelined-transactions.js'
import type { Tx } from '../database/sql.js'
import { StoreTimeoutError } from '../errors.js'
import { lockHead, type LockedHead } from '../tables/head.js'
import { bisect } from '../quarantine/bisect.js'
import { quarantine } from '../quarantine/isolate.js'
import type { PageSizer } from './page-sizer.js'
import type { WorkOrder } from './work-order.js'
import {
  nameOf,
  readNextWorks,
  readWorksAgain,
  MAX_PAGE_ROWS,
  writeWorkPage,
  type Work,
  type WorkPage,
} from './work-table.js'

export interface PageScope {
  head: LockedHead
  /** the program for deriving addresses */
  programId: string
  /** the most rows of the page, by the index that its kind reads */
  rows: number
}

/** Reads what the database holds at one moment, without the writer lock. */
export type Snapshot = <Result>(read: (tx: Tx) => Promise<Result>) => Promise<Result>

/**
 * A kind of work under the writer lock.
 * @typeParam Page what a page changed beside the rows of its work
 * @typeParam Checked what it read before it took the lock
 */
export interface WorkKind<Page, Checked = unknown> {
  /** its turn comes while no other work waits */
  isLast?: true
  /** the most rows of work that a page of so many rows takes; default: one */
  together?(rows: number): number
  /** reads for a page what would take the lock for too long. Whatever changes the work meanwhile makes the page void */
  check?(snapshot: Snapshot, works: readonly Work[], rows: number): Promise<Checked>
  /** @returns null when what was read is void */
  page(
    tx: PipelinedTx,
    works: readonly Work[],
    scope: PageScope,
    checked: Checked,
  ): Promise<(WorkPage & Page) | null>
}

export interface PageOptions {
  /** the program for deriving addresses */
  programId: string
  /** chooses the rows of a page; default: as many as a page may have */
  sizer?: Pick<PageSizer, 'rowsOf' | 'note'> | undefined
  /** whose turn it is; default: that of the oldest work */
  order?: Pick<WorkOrder, 'lastOf' | 'note'> | undefined
  /** the verified run of the server; see `lockHead` */
  serverRun?: string | undefined
}

const NO_ORDER = { lastOf: () => ({ lastPage: 0, lastGateway: '' }), note: () => {} }
const LARGEST = { rowsOf: () => MAX_PAGE_ROWS, note: () => {} }

/**
 * Does the next page of work (`readNextWorks`). A page that fails is halved until one row of work is left, which is quarantined
 * (`bisect`): each part is a transaction of its own. All other work goes on.
 * @param finish the last phase of each transaction
 * @returns what each transaction returned; empty when there is no work
 * @throws StoreUnavailableError, StoreTimeoutError: the page was rolled back and comes again
 * @throws StoreUnverifiedError
 */
export async function runPage<Page, Result>(
  store: Store,
  kinds: Readonly<Record<string, WorkKind<Page>>>,
  { sizer = LARGEST, order = NO_ORDER, programId, serverRun }: PageOptions,
  finish: (tx: PipelinedTx, kind: string, page: Page, head: LockedHead) => Promise<Result>,
): Promise<Result[]> {
  for (;;) {
    const asked = Object.entries(kinds).map(([kind, of]) => ({
      kind,
      isLast: of.isLast ?? false,
      together: of.together?.(sizer.rowsOf(kind)) ?? 1,
      ...order.lastOf(kind),
    }))
    const works = await readNextWorks(store, asked)
    if (works.length === 0) return []
    const { kind, gateway } = works[0]!
    order.note(kind, gateway)
    const rows = Math.min(MAX_PAGE_ROWS, sizer.rowsOf(kind))
    const of = kinds[kind]!
    const snapshot: Snapshot = read => inSnapshot(store, read)
    const done = await bisect(
      works,
      async some => {
        const checked = await of.check?.(snapshot, some, rows)
        let lockedAt = 0
        const result = await store.database.pipelinedTransaction(async tx => {
          const head = await lockHead(tx, serverRun)
          lockedAt = performance.now()
          const again = await readWorksAgain(tx, some)
          // Another process may have done the page.
          if (again.length === 0 || (of.check && !isSame(some, again))) return null
          const changed = await of.page(tx, again, { head, programId, rows }, checked)
          if (changed === null) return null
          writeWorkPage(tx, changed)
          return { of: await finish(tx, kind, changed, head) }
        })
        // A part of a page says nothing about how long a whole one takes.
        if (result !== null && some.length === works.length) sizer.note(kind, performance.now() - lockedAt)
        return result
      },
      {
        alone: async (work, error) => {
          if (error instanceof StoreTimeoutError) throw error
          await quarantine(store, 'task', nameOf(work), error)
          return []
        },
      },
    )
    const results = done.flatMap(each => (each === null ? [] : [each.of]))
    // Without a result, other work may come first now.
    if (results.length > 0) return results
  }
}

const isSame = (before: readonly Work[], now: readonly Work[]): boolean =>
  before.length === now.length && before.every(({ version }, at) => version === now[at]!.version)

const inSnapshot = <Result>({ database }: Store, read: (tx: Tx) => Promise<Result>): Promise<Result> =>
  database.transaction(async tx => {
    await tx.$executeRaw`set transaction isolation level repeatable read, read only`
    return read(tx)
  }, PAGE_LIMITS)
