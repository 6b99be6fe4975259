// Does the work that messages left, page by page, and notifies of what each page made known.
import { INGEST_KINDS, type IngestKind } from '../../core/tasks/kinds.js'
import type { DeliveryRef } from '@payment-tracking/contracts'
import type { PipelinedTx, Store } from '../../core/database/sql.js'
import { expectBatch } from '../expectations/expect-batch.js'
import { EXPECTATION, EXPECTED_FINALITY, EXPECTED_PAYMENT } from '../expectations/expectation-work.js'
import type { ExpectationChanges } from '../../messages/expectations/apply-states.js'
import { feedsOf } from '../../core/tables/messages.js'
import { FIGURES } from '../figures/count-anew.js'
import { RECOUNT } from '../figures/recount-hours.js'
import { ACCOUNT, GATEWAY } from '../recompute/accounts.js'
import { POLICY, type Recomputed } from '../recompute/policy-work.js'
import { REBUILD } from '../recompute/rebuild.js'
import { USER_PAYMENT } from '../recompute/user-payment-work.js'
import { readCommittedById } from '../../core/tables/committed-payments.js'
import type { LockedHead } from '../../core/tables/head.js'
import { readFinality } from '../../core/tables/finality.js'
import { addDetailsWork, DETAILS, WATERMARK } from '../../messages/waiting/release-work.js'
import { notify } from '../../messages/routing/notify.js'
import { runTask, type PageOptions } from '../../core/tasks/run-task.js'
import { underWriterLock, type WorkKind, type WriterOptions } from '../../core/tasks/under-writer-lock.js'
import { countWork } from '../../core/tasks/work-table.js'
import { recordAnnouncements } from '../outbox/announcements.js'
import type { CommittedChanges } from './batch.js'
import { causesOf, collectLifecycles, readCompleting, toCommitted } from './collect-lifecycles.js'

/** What a page can change. */
interface Page {
  recomputed?: Recomputed
  /** of messages that waited */
  released?: DeliveryRef[]
  /** of expected payments */
  expected?: ExpectationChanges
}

/** Everything that ingest does in pages. */
const KINDS = {
  policy: POLICY,
  'user-payment': USER_PAYMENT,
  hour: RECOUNT,
  watermark: WATERMARK,
  details: DETAILS,
  expectation: EXPECTATION,
  'expected-payment': EXPECTED_PAYMENT,
  'expected-finality': EXPECTED_FINALITY,
  rebuild: REBUILD,
  gateway: GATEWAY,
  account: ACCOUNT,
  figures: FIGURES,
} satisfies Record<IngestKind, WorkKind<Page>>

/** What one page of work changed. */
export interface TaskPage extends CommittedChanges {
  kind: IngestKind
}

/** How a page of ingest's work is done. */
export interface TaskOptions extends Omit<PageOptions, 'only'>, WriterOptions {}

/**
 * Does the next page of the oldest work (`runTask`).
 * @returns what each transaction of it changed; empty when there is no work
 * @throws StoreUnavailableError, StoreTimeoutError: the page was rolled back and comes again
 * @throws StoreUnverifiedError
 */
export const runTaskPage = (store: Store, { sizer, order, ...of }: TaskOptions): Promise<TaskPage[]> => {
  const tasks = INGEST_KINDS.map(kind => {
    const task = underWriterLock<Page, TaskPage>(KINDS[kind], of, async (tx, page, head) => ({
      epoch: head.epoch,
      kind,
      ...(await notifyPage(tx, head, page)),
    }))
    return [kind, task] as const
  })
  return runTask(store, Object.fromEntries(tasks), { sizer, order })
}

/** How much work waits, at most 10,000, and the age of the oldest of it in seconds; 0 without work. */
export const readWork = (store: Store): Promise<{ count: number; oldestSeconds: number }> =>
  countWork(store, INGEST_KINDS)

const NOTHING: Recomputed = { policies: [], notified: [], completed: [], changed: [] }

async function notifyPage(
  tx: PipelinedTx,
  head: LockedHead,
  { recomputed = NOTHING, released = [], expected }: Page,
): Promise<Omit<CommittedChanges, 'epoch'>> {
  const payments = await readCommittedById(tx, recomputed.completed)
  const completing = await readCompleting(tx, recomputed.notified)
  const lifecycles = await collectLifecycles(tx, recomputed.policies, new Map(), head.position, completing)
  const stored = [...recomputed.completed, ...causesOf(lifecycles)]
  const isFinal = await readFinality(tx, head.finalizedSlot, stored)
  const announcementIds = await recordAnnouncements(tx, 'payment', payments)
  const deliveries = await notify(tx, { payments, late: payments, lifecycles, isFinal })
  const changes =
    expected ??
    (await expectBatch(tx, {
      eventIds: [...recomputed.completed, ...recomputed.changed],
      finalizedSlot: head.finalizedSlot,
      hasMoved: false,
      position: head.position,
    }))
  const policies = recomputed.policies.map(({ after }) => after.address)
  addDetailsWork(tx, policies)
  return {
    batchId: null,
    lastPosition: null,
    feeds: feedsOf(tx, payments),
    payments,
    retractions: [],
    announcementIds,
    deliveries: [...deliveries, ...changes.deliveries, ...released.map(each => ({ ...each, bulk: true }))],
    expectations: changes.expectations,
    lifecycles: toCommitted(lifecycles),
  }
}
