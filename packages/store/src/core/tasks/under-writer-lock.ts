// Work that needs the writer lock.
import { PAGE_LIMITS, type PipelinedTx, type Store, type Tx } from '../database/sql.js'
import { CANCELLED, sqlStateOf, StoreUnavailableError } from '../errors.js'
import { lockHead, type LockedHead } from '../tables/head.js'
import type { Task } from './run-task.js'
import { readWorksAgain, writeWorkPage, type Work, type WorkPage } from './work-table.js'

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
export interface WorkKind<Page, Checked = unknown> extends Omit<Task<Page>, 'doPage'> {
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

export interface WriterOptions {
  /** the program for deriving addresses */
  programId: string
  /** the verified run of the server; see `lockHead` */
  serverRun?: string | undefined
}

/** @param finish the last phase of each transaction */
export const underWriterLock = <Page, Result>(
  of: WorkKind<Page>,
  { programId, serverRun }: WriterOptions,
  finish: (tx: PipelinedTx, page: Page, head: LockedHead) => Promise<Result>,
): Task<Result> => ({
  ...of,
  doPage: async (store, works, rows) => {
    const checked = await of.check?.(read => inSnapshot(store, read), works, rows)
    let lockedAt = 0
    const done = await store.database.pipelinedTransaction(async tx => {
      const head = await lockHead(tx, serverRun).catch(notOurTimeout)
      lockedAt = performance.now()
      const again = await readWorksAgain(tx, works)
      // Another process may have done the page.
      if (again.length === 0 || (of.check && !isSame(works, again))) return null
      const changed = await of.page(tx, again, { head, programId, rows }, checked)
      if (changed === null) return null
      for (const statement of writeWorkPage(changed)) tx.send(statement)
      return { result: await finish(tx, changed, head) }
    })
    return done && { ...done, heldMs: performance.now() - lockedAt }
  },
})

/** Who waits in vain for the lock is not too slow. */
function notOurTimeout(error: unknown): never {
  if (sqlStateOf(error) !== CANCELLED) throw error
  throw new StoreUnavailableError('the writer lock is held for too long', { cause: error })
}

const isSame = (before: readonly Work[], now: readonly Work[]): boolean =>
  before.length === now.length && before.every(({ version }, at) => version === now[at]!.version)

const inSnapshot = <Result>({ database }: Store, read: (tx: Tx) => Promise<Result>): Promise<Result> =>
  database.transaction(async tx => {
    await tx.$executeRaw`set transaction isolation level repeatable read, read only`
    return read(tx)
  }, PAGE_LIMITS)
