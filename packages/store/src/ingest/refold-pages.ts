// Does work in pages: one page a transaction, under the writer lock. A crash loses at most the page that was not
// committed. Any process of ingest can go on.
import type { DeliveryRef } from '@payment-tracking/contracts'
import { StoreTimeoutError } from '../errors.js'
import type { Store } from '../database/open-store.js'
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
import { inSnapshot } from './compare-figures.js'
import { readBehind, readHour, writeHour, type ReadHour } from './recount-hours.js'
import { readPageOf } from './refold-causes.js'
import {
  comparesFigures,
  correctFigures,
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
  readWorkAgain,
  REFOLD_ROWS,
  writeProgress,
  type NextWork,
  type Work,
} from './work.js'

export interface RefoldOptions {
  /** the program for deriving addresses */
  programId: string
  /** chooses the rows of a page; default: as many as a page may have */
  sizer?: Pick<PageSizer, 'rowsOf' | 'note'> | undefined
  /** the verified run of the server; see `lockHead` */
  serverRun?: string | undefined
}

/** What one page of work changed. */
export interface RefoldedPage extends CommittedNews {
  kind: Work['kind']
}

/**
 * Does the next page of the oldest work: at most `sizer` rows, by the index that its kind reads. Figures are compared and
 * extremes are found before the writer lock is taken, and only what is missing is written under the lock. A page that fails
 * is halved until one row is left, and that row is set aside: a message that waited, or an address of a rebuild. Work of one
 * address is set aside whole. All other work goes on.
 * @returns null when there is no work
 * @throws StoreUnavailableError, StoreTimeoutError: the page was rolled back and comes again
 * @throws StoreUnverifiedError
 */
export async function refoldPage(
  store: Store,
  { sizer = LARGEST, programId, serverRun }: RefoldOptions,
): Promise<RefoldedPage | null> {
  let most = REFOLD_ROWS
  for (;;) {
    const work = await readNextWork(store)
    if (work === null) return null
    const page = { limit: Math.min(most, sizer.rowsOf(work.kind)), rows: [] }
    const tried: Tried = { work, page, lockedAt: 0 }
    try {
      const prepared = await prepare(store, tried)
      const done = prepared && (await doPage(store, { programId, serverRun, prepared }, tried))
      // Another process has done the page, or what was read is void: other work may come first now.
      if (!done) continue
      // A page that was halved says nothing about how long a whole one takes.
      if (most === REFOLD_ROWS) sizer.note(done.kind, performance.now() - tried.lockedAt)
      return done
    } catch (error) {
      if (isOutage(error) || error instanceof StoreTimeoutError) throw error
      if (tried.page.rows.length > 1) {
        most = Math.floor(most / 2)
        continue
      }
      await setAsideOf(store, { work, row: tried.page.rows[0], serverRun }, error)
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
  work: Work
  page: ReleasePage
  lockedAt: number
}

/** What was read for a page without the writer lock. */
interface Prepared {
  /** as it was in the snapshot */
  work: NextWork
  figures?: PreparedPage
  hour?: ReadHour
}

/** @returns null when the work is done meanwhile */
async function prepare(store: Store, { work: asked, page }: Tried): Promise<Prepared | null> {
  if (asked.kind !== 'hour' && !comparesFigures(asked)) return { work: asked as NextWork }
  const prepared = await inSnapshot(store, async (tx): Promise<Prepared | null> => {
    const work = await readWorkAgain(tx, asked)
    if (work === null) return null
    if (work.kind === 'hour') return { work, hour: await readHour(tx, work, page.limit) }
    return comparesFigures(work)
      ? { work, figures: await prepareRebuild(tx, work, { limit: page.limit, page }) }
      : null
  })
  // An hour of many payments takes long: what came meanwhile is read here, so that hardly anything is left for the lock.
  const hour = prepared?.hour
  if (hour) await inSnapshot(store, tx => readBehind(tx, hour))
  return prepared
}

/** @returns null when the work is done, or what was prepared is void */
const doPage = (
  { database }: Store,
  { programId, serverRun, prepared }: Pick<RefoldOptions, 'programId' | 'serverRun'> & { prepared: Prepared },
  tried: Tried,
): Promise<RefoldedPage | null> =>
  database.pipelinedTransaction(async tx => {
    const head = await lockHead(tx, serverRun)
    tried.lockedAt = performance.now()
    const work = await readWorkAgain(tx, prepared.work)
    if (work === null || isVoid(prepared, work, head)) return null
    tried.work = work
    const scope = { head, programId, rows: tried.page.limit, page: tried.page, prepared }
    const done = await DO[work.kind](tx, work, scope)
    writeProgress(tx, work, done.left)
    const told = await tellPage(tx, { head, kind: work.kind }, done)
    return { epoch: head.epoch, kind: work.kind, ...told }
  })

/** Events that are merged into a recount under the writer lock. */
const MOST_MERGED = 10_000n

/** Whether what was read, or not read, does not fit the work as it is now. */
function isVoid(
  { work: before, figures, hour }: Prepared,
  work: NextWork,
  { position }: LockedHead,
): boolean {
  const needsReading = figures !== undefined || hour !== undefined || comparesFigures(work)
  const isSame = work.turn === before.turn && work.cursor === before.cursor
  return needsReading && (!isSame || (hour !== undefined && position - hour.position > MOST_MERGED))
}

const LARGEST = { rowsOf: () => REFOLD_ROWS, note: () => {} }

interface PageScope {
  head: LockedHead
  programId: string
  /** the most rows of the page */
  rows: number
  /** names what the page works on, for a kind that works on messages or addresses of everybody */
  page: ReleasePage
  prepared: Prepared
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
  hour: async (tx, _work, { prepared }) => ({ left: await writeHour(tx, prepared.hour!), refolded: NOTHING }),
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
  all: async (tx, work, { programId, rows, page, prepared: { figures } }) => {
    if (figures) return { left: await correctFigures(tx, work, figures), refolded: NOTHING }
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
