// Does work in pages: one page a transaction, under the writer lock. A crash loses at most the page that was not
// committed. Any process of ingest can go on.
import { policyOutcome, type PolicyState } from '@payment-tracking/domain'
import type { Store } from '../database/open-store.js'
import { sql } from '../database/sql.js'
import type { PipelinedTx } from '../database/pipelined-transactions.js'
import { readSaidFinal } from '../said-final.js'
import type { Released } from '../webhooks/release.js'
import { tell, type IsFinal } from '../webhooks/tell.js'
import { recordAnnouncements } from './announcements.js'
import { collectLifecycles, toCommitted } from './collect-lifecycles.js'
import type { CommittedNews } from './commit-batch.js'
import { derivePayments, readNextPayments, type Derived } from './derive-payments.js'
import type { FoldedPolicy } from './fold.js'
import { lockHead, type LockedHead } from './head.js'
import { readChangesSince } from './read-registers.js'
import { recountPage } from './recount-hours.js'
import { readPageOf } from './refold-causes.js'
import { rebuildPage } from './rebuild.js'
import { readForRefold, refold, sumUp, writeRefolded, type RefoldCause, type Refolded } from './refold.js'
import { readPayments, releaseKnown } from './tell-batch.js'
import { readNextWork, REFOLD_ROWS, writeProgress, type Work } from './work.js'

export interface RefoldOptions {
  /** the program for deriving addresses */
  programId: string
  /** the verified run of the server; see `lockHead` */
  server?: string | undefined
}

/** What one page of work changed. */
export interface RefoldedPage extends CommittedNews {
  kind: Work['kind']
}

/**
 * Does the next page of the oldest work.
 * @returns null when there is no work
 * @throws StoreUnavailableError, StoreTimeoutError: the page was rolled back and comes again
 * @throws StoreUnverifiedError
 */
export async function refoldPage(
  { database }: Store,
  { programId, server }: RefoldOptions,
): Promise<RefoldedPage | null> {
  const [waiting] = await database.read<{ is_any: boolean }>(
    sql`select exists (select from refolds) as is_any`,
  )
  if (!waiting!.is_any) return null
  return database.pipelinedTransaction(async tx => {
    const head = await lockHead(tx, server)
    const work = await readNextWork(tx)
    if (work === null) return null
    const page = await DO[work.kind](tx, work, { head, programId })
    writeProgress(tx, work, page.left)
    const told = await tellPage(tx, head, page)
    return { epoch: head.epoch, kind: work.kind, ...told }
  })
}

interface PageScope {
  head: LockedHead
  programId: string
}

interface Page {
  left: Work | null
  refolded: Refolded
  /** the watermark whose messages are decided about */
  finalizedSlot?: bigint
}

const NOTHING: Refolded = { policies: [], completed: [], changed: [] }

const DO: Record<Work['kind'], (tx: PipelinedTx, work: Work, scope: PageScope) => Promise<Page>> = {
  policy: doPolicy,
  'user-payment': doUserPayment,
  hour: async (tx, work) => ({ left: await recountPage(tx, work), refolded: NOTHING }),
  watermark: (_tx, _work, { head: { finalizedSlot } }) =>
    Promise.resolve({ left: null, refolded: NOTHING, finalizedSlot }),
  all: async (tx, work, { programId }) => {
    const { left, causes } = await rebuildPage(tx, work, programId)
    return { left, refolded: await refold(tx, causes, [], { programId, sincePosition: work.sincePosition }) }
  },
}

/** The sums of a policy that pages have counted so far, as JSON. */
interface SumsSoFar {
  incarnationStart: string | null
  paymentCount: string
  totalPaid: string
  periodStart: string | null
  periodTotal: string | null
  periodOrder: string | null
}

const toSums = (state: PolicyState): SumsSoFar => ({
  incarnationStart: state.incarnationStart,
  paymentCount: state.paymentCount.toString(),
  totalPaid: state.totalPaid.toString(),
  periodStart: state.periodStart?.toString() ?? null,
  periodTotal: state.periodTotal?.toString() ?? null,
  periodOrder: state.periodOrder,
})

const bigintOf = (digits: string | null): bigint | null => (digits === null ? null : BigInt(digits))

const withSums = (state: PolicyState, sums: SumsSoFar): PolicyState => ({
  ...state,
  paymentCount: BigInt(sums.paymentCount),
  totalPaid: BigInt(sums.totalPaid),
  periodStart: bigintOf(sums.periodStart),
  periodTotal: bigintOf(sums.periodTotal),
  periodOrder: sums.periodOrder,
})

/**
 * Derives the policy's next payments, and adds them to the sums. The row of the policy is written behind the last page:
 * until then readers find the policy as it was.
 */
async function doPolicy(tx: PipelinedTx, work: Work, { programId }: PageScope): Promise<Page> {
  const { address } = work
  const rows = await readForRefold(tx, [address], programId)
  const registers = rows.registers.get(address)
  const soFar = work.state as SumsSoFar | null
  const start = registers?.incarnationStart ?? null
  // Another incarnation is the latest one now: its payments are counted from its beginning.
  const goesOn = soFar !== null && soFar.incarnationStart === start
  const after = goesOn || start === null || work.cursor < start ? work.cursor : start.slice(0, 32)
  const payments = await readNextPayments(tx, address, { after, limit: REFOLD_ROWS, programId })
  const derived = await derivePayments(tx, payments, rows.sourcesOf)
  const state = registers && sumUp(goesOn ? withSums(registers, soFar) : registers, payments)
  if (payments.length === REFOLD_ROWS) {
    const left = { ...work, cursor: payments.at(-1)!.event.order, state: state ? toSums(state) : null }
    return { left, refolded: { ...derived, policies: [] } }
  }
  const before = rows.before.get(address)
  if (!state) {
    tx.send(sql`delete from policies where address = ${address}`)
    return { left: null, refolded: { ...derived, policies: [] } }
  }
  const since = { position: work.sincePosition, limit: REFOLD_ROWS, programId }
  const newPayments = payments.filter(({ row }) => !row.retracted && row.position > work.sincePosition)
  const events = [
    ...(await readChangesSince(tx, address, since)),
    ...newPayments.slice(-1).map(({ event }) => event),
  ]
  const folded: FoldedPolicy = { before, after: state, outcome: policyOutcome(state), events }
  writeRefolded(tx, [folded])
  return { left: null, refolded: { ...derived, policies: [folded] } }
}

/** Folds the next policies of a user payment again, whose payments lack an owner and a mint. */
async function doUserPayment(tx: PipelinedTx, work: Work, { programId }: PageScope): Promise<Page> {
  const { policies, last } = await readPageOf(tx, work.address, work.cursor)
  const fromStart = (): RefoldCause => ({ payments: [], from: '', events: [] })
  const causes = new Map(policies.map(address => [address, fromStart()]))
  const refolded = await refold(tx, causes, [], { programId, sincePosition: work.sincePosition })
  return { left: last === null ? null : { ...work, cursor: last }, refolded }
}

async function tellPage(
  tx: PipelinedTx,
  head: LockedHead,
  { refolded, finalizedSlot }: Page,
): Promise<Omit<CommittedNews, 'epoch'>> {
  const payments = await readPayments(tx, refolded.completed)
  const isFinal = await finalityOf(tx, head, refolded)
  const lifecycles = await collectLifecycles(tx, refolded.policies, new Map())
  const announcementIds = await recordAnnouncements(
    tx,
    'payment',
    payments.filter(({ trackingId }) => trackingId !== null).map(({ eventId }) => eventId),
  )
  const deliveries = await tell(tx, { payments, lifecycles, isFinal })
  const known: Released = {
    finalizedSlot: finalizedSlot ?? null,
    finalEvents: [],
    knownPayments: refolded.changed,
    knownPolicies: refolded.policies.map(({ after }) => after.address),
  }
  deliveries.push(...(await releaseKnown(tx, known, isFinal)))
  return {
    ...{ batchId: null, payments, retractions: [], announcementIds, deliveries },
    lifecycles: toCommitted(lifecycles),
  }
}

async function finalityOf(
  tx: PipelinedTx,
  { finalizedSlot }: LockedHead,
  { completed, policies }: Derived & Refolded,
): Promise<IsFinal> {
  const events = policies.flatMap(policy => policy.events.map(({ id }) => id))
  const final = await readSaidFinal(tx, [...completed, ...events])
  return ({ eventId, slot }) => BigInt(slot) <= finalizedSlot || final.has(eventId)
}
