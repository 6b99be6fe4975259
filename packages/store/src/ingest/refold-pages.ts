// Does work in pages: one page a transaction, under the writer lock. A crash loses at most the page that was not
// committed. Any process of ingest can go on.
import type { DeliveryRef } from '@payment-tracking/contracts'
import { StoreTimeoutError } from '../errors.js'
import type { Store } from '../database/open-store.js'
import { sql } from '../database/sql.js'
import type { PipelinedTx } from '../database/pipelined-transactions.js'
import { readSaidFinal } from '../rows/said-final.js'
import { isOutage, setAside, settingAside } from '../set-aside/isolate.js'
import { NOTHING_KNOWN, release, type ReleasePage, type WaitingPlace } from '../webhooks/release.js'
import { tell, type IsFinal } from '../webhooks/tell.js'
import { recordAnnouncements } from './announcements.js'
import { causesOf, collectLifecycles, readCompleting, toCommitted } from './collect-lifecycles.js'
import type { CommittedNews } from './batch.js'
import { lockHead, type LockedHead } from './head.js'
import type { PageSizer } from './page-sizer.js'
import { recountPage } from './recount-page.js'
import { readPageOf } from './refold-causes.js'
import {
  comparesFigures,
  correctFigures,
  HAS_COMPARING,
  leftOut,
  prepareRebuild,
  rebuildPage,
  type PreparedPage,
} from './rebuild.js'
import { refoldPolicyPage } from './refold-policy-page.js'
import { refold, type RefoldCause, type Refolded } from './refold.js'
import { readPayments } from './tell-batch.js'
import {
  addFactsWork,
  addWork,
  keyOfWork,
  policiesFor,
  readNextWork,
  REFOLD_ROWS,
  writeProgress,
  type Work,
} from './work.js'

export interface RefoldOptions {
  /** the program for deriving addresses */
  programId: string
  /** chooses the rows of a page; default: as many as a page may have */
  sizer?: Pick<PageSizer, 'rowsOf' | 'note'> | undefined
  /** the verified run of the server; see `lockHead` */
  serverRun?: string | undefined
  /** tokens whose extremes one reading of an hour finds; default 500 */
  tokensAtOnce?: number | undefined
  /** events that one statement reads where a rebuild compares hours; default 20,000 */
  eventsAtOnce?: number | undefined
}

/** What one page of work changed. */
export interface RefoldedPage extends CommittedNews {
  kind: Work['kind']
}

/**
 * Does the next page of the oldest work: at most `sizer` rows, by the index that its kind reads. Figures of a rebuild are
 * compared before the writer lock is taken, and only what is wrong is written under the lock. A page that fails is
 * halved until one row is left, and that row is set aside: a message that waited, or an address of a rebuild. Work of one
 * address is set aside whole. All other work goes on.
 * @returns null when there is no work
 * @throws StoreUnavailableError, StoreTimeoutError: the page was rolled back and comes again
 * @throws StoreUnverifiedError
 */
export async function refoldPage(
  store: Store,
  { sizer = LARGEST, ...options }: RefoldOptions,
): Promise<RefoldedPage | null> {
  const { serverRun, eventsAtOnce } = options
  let most = REFOLD_ROWS
  for (;;) {
    const [waiting] = await store.database.read<{ any: boolean; compares: boolean }>(
      sql`select exists (select from refolds) as any, ${HAS_COMPARING} as compares`,
    )
    if (!waiting!.any) return null
    const tried: Tried = { work: null, page: { limit: most, rows: [] }, lockedAt: 0 }
    const rowsOf = (kind: Work['kind']) => Math.min(most, sizer.rowsOf(kind))
    try {
      const prepared = waiting!.compares ? await prepareRebuild(store, { rowsOf, eventsAtOnce }, tried) : null
      const done = await tryPage(store, { ...options, rowsOf, prepared }, tried)
      // Other work came first meanwhile, or another process has done the page.
      if (done === 'unprepared') continue
      // A page that was halved says nothing about how long a whole one takes.
      if (done !== null && most === REFOLD_ROWS) sizer.note(done.kind, performance.now() - tried.lockedAt)
      return done
    } catch (error) {
      const { work, page } = tried
      if (work === null || isOutage(error) || error instanceof StoreTimeoutError) throw error
      if (page.rows.length > 1) {
        most = Math.floor(most / 2)
        continue
      }
      await setAsideOf(store, { work, row: page.rows[0], serverRun }, error)
      most = REFOLD_ROWS
    }
  }
}

/** @param row of the page that failed; undefined when the page has no rows of its own */
async function setAsideOf(
  store: Store,
  { work, row, serverRun }: { work: Work; row: string | undefined; serverRun: string | undefined },
  error: unknown,
): Promise<void> {
  if (row === undefined || (work.kind === 'all' && row === work.address))
    return setAside(store, 'refold', keyOfWork(work), error)
  if (work.kind !== 'all') return setAside(store, 'release-messages', row, error)
  const left = leftOut(row, work)
  await store.database.pipelinedTransaction(async tx => {
    await lockHead(tx, serverRun)
    addWork(tx, [left])
    tx.send(settingAside('refold', keyOfWork(left), error))
  })
}

/** What a page has begun with. */
interface Tried {
  work: Work | null
  page: ReleasePage
  lockedAt: number
}

const tryPage = (
  { database }: Store,
  {
    programId,
    serverRun,
    tokensAtOnce,
    rowsOf,
    prepared,
  }: RefoldOptions & { rowsOf: (kind: Work['kind']) => number; prepared: PreparedPage | null },
  tried: Tried,
): Promise<RefoldedPage | null | 'unprepared'> =>
  database.pipelinedTransaction(async tx => {
    const head = await lockHead(tx, serverRun)
    tried.lockedAt = performance.now()
    const work = await readNextWork(tx)
    tried.work = work
    if (work === null) return null
    const isOfWork = prepared?.work.turn === work.turn && prepared.work.cursor === work.cursor
    if (comparesFigures(work) && !isOfWork) return 'unprepared'
    const rows = rowsOf(work.kind)
    tried.page.limit = rows
    const scope = {
      head,
      programId,
      rows,
      tokensAtOnce,
      page: tried.page,
      prepared: isOfWork ? prepared : null,
    }
    const done = await DO[work.kind](tx, work, scope)
    writeProgress(tx, work, done.left)
    const told = await tellPage(tx, { head, kind: work.kind }, done)
    return { epoch: head.epoch, kind: work.kind, ...told }
  })

const LARGEST = { rowsOf: () => REFOLD_ROWS, note: () => {} }

interface PageScope {
  head: LockedHead
  programId: string
  /** the most rows of the page */
  rows: number
  tokensAtOnce: number | undefined
  /** names what the page works on, for a kind that works on messages or addresses of everybody */
  page: ReleasePage
  /** of a rebuild that compares figures */
  prepared: PreparedPage | null
}

interface Page {
  left: Work | null
  refolded: Refolded
  /** of messages that waited */
  released?: DeliveryRef[]
}

const NOTHING: Refolded = { policies: [], completed: [], changed: [] }

const DO: Record<Work['kind'], (tx: PipelinedTx, work: Work, scope: PageScope) => Promise<Page>> = {
  policy: (tx, work, { programId, rows }) => refoldPolicyPage(tx, work, { programId, limit: rows }),
  'user-payment': doUserPayment,
  hour: async (tx, work, { rows: limit, tokensAtOnce }) => ({
    left: await recountPage(tx, work, { limit, tokensAtOnce }),
    refolded: NOTHING,
  }),
  watermark: async (tx, work, { head, page }) => {
    const { finalizedSlot } = head
    const { rest, deliveries } = await release(
      tx,
      { ...NOTHING_KNOWN, finalizedSlot },
      isSlotFinal(head),
      page,
    )
    return { left: rest && work, refolded: NOTHING, released: deliveries }
  },
  facts: async (tx, work, { head, page }) => {
    const after = work.cursor === '' ? undefined : (JSON.parse(work.cursor) as WaitingPlace)
    const known = { ...NOTHING_KNOWN, knownPolicies: [work.address], after }
    const { rest, deliveries } = await release(tx, known, isSlotFinal(head), page)
    const left = rest && { ...work, cursor: JSON.stringify(rest.after) }
    return { left, refolded: NOTHING, released: deliveries }
  },
  all: async (tx, work, { programId, rows, page, prepared }) => {
    if (prepared !== null) return { left: await correctFigures(tx, prepared, rows), refolded: NOTHING }
    const { left, causes } = await rebuildPage(tx, work, { programId, limit: policiesFor(rows), page })
    const scope = { programId, sincePosition: work.sincePosition, rows }
    return { left, refolded: await refold(tx, causes, [], scope) }
  },
}

const isSlotFinal =
  ({ finalizedSlot }: LockedHead): IsFinal =>
  ({ slot }) =>
    BigInt(slot) <= finalizedSlot

/** Folds the next policies of a user payment again, whose payments lack an owner and a mint. */
async function doUserPayment(tx: PipelinedTx, work: Work, { programId, rows }: PageScope): Promise<Page> {
  const { policies, last } = await readPageOf(tx, work.address, {
    after: work.cursor,
    limit: policiesFor(rows),
  })
  const fromStart = (): RefoldCause => ({ payments: [], from: '', events: [] })
  const causes = new Map(policies.map(address => [address, fromStart()]))
  const refolded = await refold(tx, causes, [], { programId, sincePosition: work.sincePosition, rows })
  return { left: last === null ? null : { ...work, cursor: last }, refolded }
}

async function tellPage(
  tx: PipelinedTx,
  { head, kind }: { head: LockedHead; kind: Work['kind'] },
  { refolded, released = [] }: Page,
): Promise<Omit<CommittedNews, 'epoch'>> {
  const payments = await readPayments(tx, refolded.completed)
  const completing = kind === 'all' ? undefined : await readCompleting(tx, refolded.policies)
  const lifecycles = await collectLifecycles(tx, refolded.policies, new Map(), head.position, completing)
  const isFinal = await finalityOf(tx, head, [...refolded.completed, ...causesOf(lifecycles)])
  const announcementIds = await recordAnnouncements(
    tx,
    'payment',
    payments.filter(({ trackingId }) => trackingId !== null).map(({ eventId }) => eventId),
  )
  const deliveries = await tell(tx, { payments, lifecycles, isFinal })
  const policies = refolded.policies.map(({ after }) => after.address)
  addFactsWork(tx, policies)
  return {
    batchId: null,
    payments,
    retractions: [],
    announcementIds,
    deliveries: [...deliveries, ...released.map(delivery => ({ ...delivery, behind: true }))],
    lifecycles: toCommitted(lifecycles),
  }
}

async function finalityOf(
  tx: PipelinedTx,
  { finalizedSlot }: LockedHead,
  events: readonly string[],
): Promise<IsFinal> {
  const final = await readSaidFinal(tx, events)
  return ({ eventId, slot }) => BigInt(slot) <= finalizedSlot || final.has(eventId)
}
