// Work that a request leaves for many deliveries of a webhook. The request changes the webhook's row and writes one row of
// work. Workers then do the work page by page.
//
// cancel      The webhook was turned off or deleted. Its open deliveries already read as cancelled (core/tables/delivery-rows.ts). The work
//             writes this to their rows. For a deleted webhook it also removes the messages that wait for finality or details.
//             The work ends when every transaction that saw the webhook on must have ended.
// redeliver   Begins a new cycle of tries for the deliveries of a span of time.
// replay      Makes the deliveries that the webhook missed (replay-missing.ts).
//
// A page changes at most 500 rows, finds them by an index, and takes one statement of some milliseconds. A page that is done
// again changes nothing, because a redelivery begins no second cycle of a delivery.
import type { WebhookWorkKind } from '../core/tasks/kinds.js'
import type { DeliveryRef } from '@payment-tracking/contracts'
import type { DeliveryState } from '@payment-tracking/domain'
import type { Store } from '../core/database/open-store.js'
import { bigints, raw, sql } from '../core/database/sql.js'
import { isNotQuarantined, isolate } from '../core/quarantine/isolate.js'
import { endPage, takingWork } from '../core/tasks/leased-work.js'
import { IS_ACTIVE, IS_OPEN, writeCancelled } from '../core/tables/delivery-rows.js'
import { deliveriesIn, endedActivation, type WebhookActivation } from '../core/tables/delivery-ranges.js'
import { openCycle } from './open-cycle.js'
import { readRedeliveryQuota } from './replay/redeliver.js'
import { replayPage } from './replay/replay-page.js'

/** What a redelivery was asked for. */
export interface RedeliveryState {
  /** when its deliveries were made, as ISO 8601 */
  madeSince: string
  madeUntil: string
  states: DeliveryState[]
}

/** All found rows are written. Transactions that saw the webhook on may still commit rows: the work checks again. */
interface CancelState {
  isFinishing: true
}

interface WebhookWork extends WebhookActivation {
  kind: WebhookWorkKind
  key: string
  version: bigint
  cursor: string
  state: RedeliveryState | CancelState | null
  addedAt: Date
  gateway: string
  isDeleted: boolean
  /** nobody can have seen the webhook on, and not have committed */
  isFinished: boolean
}

/** The delivery after which the next page begins. */
interface DeliveryKey {
  activation: number
  id: bigint
}

interface Page {
  handled: number
  /** of a redelivery: to be enqueued */
  deliveries: DeliveryRef[]
  /** null when all found rows are written */
  remaining: DeliveryKey | null
  /** how long the next page waits */
  delaySeconds?: number
}

const toCursor = ({ activation, id }: DeliveryKey): string => `${activation} ${id}`
function deliveryKeyOf({ cursor }: WebhookWork): DeliveryKey {
  const [activation = '0', id = '0'] = cursor.split(' ')
  return { activation: Number(activation), id: BigInt(id || '0') }
}

const PAGE = 500
/** For each delivery of a page, how many deliveries a redelivery reads: those of other times are passed over. */
const SCANNED_FOR_EACH = 10
/** Longer than any transaction that writes deliveries may take. */
const FINISHED_SECONDS = raw('120')
const CHECK_AGAIN_SECONDS = 5

/** What one page did. */
export interface WebhookWorkPage {
  kind: WebhookWorkKind
  webhookId: bigint
  handled: number
  /** deliveries to enqueue */
  deliveries: DeliveryRef[]
  /** whether another page follows at once */
  hasMore: boolean
}

/**
 * Does one page of the work that waited longest. Any number of workers may call it at once.
 * Bounded: takes one row by work_next, and then at most `limit` deliveries of its webhook, or 500 to cancel, by
 * deliveries_open_webhook or deliveries_webhook_state; no lock outlives a page.
 * @param of.only the webhook of a request that has just written its work
 * @param of.limit the deliveries of a page of redelivery; default 500
 * @returns null when no work is due
 * @throws StoreUnavailableError, StoreTimeoutError: the page comes again
 */
export async function doWebhookWork(
  store: Store,
  of: { kinds: readonly WebhookWorkKind[]; only?: bigint; limit?: number },
): Promise<WebhookWorkPage | null> {
  const work = await takeWork(store, of)
  if (work === undefined) return null
  if (work.kind === 'replay')
    return { kind: work.kind, webhookId: work.id, ...(await replayPage(store, work, of.limit)) }
  const page =
    work.kind === 'cancel'
      ? await cancelPage(store, work)
      : await redeliverPage(store, work, of.limit ?? PAGE)
  await writeProgress(store, work, page)
  const { handled, deliveries, remaining } = page
  return { kind: work.kind, webhookId: work.id, handled, deliveries, hasMore: remaining !== null }
}

async function takeWork(
  { database }: Store,
  { kinds, only }: { kinds: readonly WebhookWorkKind[]; only?: bigint },
): Promise<WebhookWork | undefined> {
  const [work] = await database.write<WebhookWork>(sql`
    with k as (${takingWork(kinds, only?.toString())})
    select k.kind, k.key, k.version, k.cursor, k.state, k.since as "addedAt",
           w.id, w.gateway, ${IS_ACTIVE} as "isActive", w.activation, w.deleted_at is not null as "isDeleted",
           coalesce(greatest(w.turned_off_at, w.deleted_at)
                    < clock_timestamp() - make_interval(secs => ${FINISHED_SECONDS}), true) as "isFinished"
      from k join webhooks w on w.id = k.key::bigint`)
  return work
}

async function cancelPage(store: Store, work: WebhookWork): Promise<Page> {
  const after = deliveryKeyOf(work)
  const rows = await store.database.read<{ id: bigint; activation: number }>(sql`
    select d.id, d.activation from deliveries d
     where d.webhook_id = ${work.id} and d.activation <= ${endedActivation(work)} and ${IS_OPEN}
       and (d.activation, d.id) > (${after.activation}, ${after.id})
       and ${isNotQuarantined('cancel-deliveries', sql`d.id::text`)}
     order by d.activation, d.id limit ${PAGE}`)
  const ids = rows.map(({ id }) => id)
  const counts = await isolate(store, 'cancel-deliveries', ids, some => cancelRows(store, some))
  const last = rows.at(-1)
  if (last !== undefined) {
    const handled = counts.reduce((sum, count) => sum + count, 0)
    const isLast = rows.length < PAGE && !work.isDeleted
    return { handled, deliveries: [], remaining: isLast ? null : last }
  }
  const removed = work.isDeleted ? await removeWaiting(store, work.id) : 0
  return { handled: removed, deliveries: [], remaining: removed === PAGE ? after : null }
}

/**
 * Writes what readers of these rows find already. Skips rows that a claim or a result has locked: the work checks again.
 * Locks in the order of claims.
 */
const cancelRows = ({ database }: Store, ids: readonly bigint[]): Promise<number> =>
  database.execute(
    writeCancelled(sql`array(
      select d.id from deliveries d where d.id = any(${bigints(ids)}) and ${IS_OPEN}
       order by d.id for update skip locked)`),
  )

const removeWaiting = ({ database }: Store, webhookId: bigint): Promise<number> =>
  database.execute(sql`
    delete from waiting_messages where ctid = any(array(
      select ctid from waiting_messages where webhook_id = ${webhookId}
       order by message_id limit ${PAGE} for update skip locked))`)

/**
 * A webhook that was turned off meanwhile gets nothing, also where it is on again when the page is written. What exceeds the
 * gateway's quota of the day goes on the next day.
 */
async function redeliverPage(store: Store, work: WebhookWork, atMost: number): Promise<Page> {
  if (!work.isActive) return { handled: 0, deliveries: [], remaining: null }
  const { madeSince, madeUntil, states } = work.state as RedeliveryState
  const { id: after } = deliveryKeyOf(work)
  const quota = await readRedeliveryQuota(store, work.gateway)
  const limit = Math.min(atMost, quota.remaining)
  const keyAfter = (id: bigint): DeliveryKey => ({ activation: 0, id })
  if (limit === 0)
    return { handled: 0, deliveries: [], remaining: keyAfter(after), delaySeconds: quota.goesOnInSeconds }
  const most = limit * SCANNED_FOR_EACH
  const scanned = deliveriesIn(work, states, {
    beyond: sql`d.id > ${after}`,
    order: 'asc',
    limit: most,
  })
  const [found] = await store.database.read<{
    ids: bigint[] | null
    scanned: number
    last: bigint | null
  }>(sql`
    with scanned as (select l.id, l.created_at from ${scanned} l order by l.id limit ${most}),
         fitting as (select id from scanned
                      where created_at >= ${madeSince}::timestamptz and created_at <= ${madeUntil}::timestamptz order by id limit ${limit})
    select (select array_agg(id order by id) from fitting) as ids,
           (select count(*)::int from scanned) as scanned, (select max(id) from scanned) as last`)
  const ids = found?.ids ?? []
  const opened = await isolate(store, 'redeliver', ids, some =>
    openCycle(store, {
      ids: some,
      isCounted: true,
      states,
      activation: work.activation,
      openedBefore: work.addedAt,
    }),
  )
  const deliveries = opened.flat()
  const isAll = ids.length < limit && found!.scanned < most
  const last = (ids.length === limit ? ids.at(-1) : found!.last) ?? after
  return { handled: deliveries.length, deliveries, remaining: isAll ? null : keyAfter(last) }
}

async function writeProgress(store: Store, work: WebhookWork, page: Page): Promise<void> {
  const { handled, remaining, delaySeconds } = page
  if (remaining !== null) {
    const state = work.kind === 'cancel' ? null : work.state
    await endPage(store, work, { handled, remaining: { cursor: toCursor(remaining), state }, delaySeconds })
    return
  }
  const isOver =
    work.kind === 'cancel'
      ? sql`${work.isFinished} and not exists (
              select from deliveries d
               where d.webhook_id = ${work.id} and d.activation <= ${endedActivation(work)} and ${IS_OPEN}
                 and ${isNotQuarantined('cancel-deliveries', sql`d.id::text`)})`
      : sql`true`
  if (await endPage(store, work, { handled, remaining: null }, isOver)) return
  const finishing: CancelState = { isFinishing: true }
  const again = { cursor: '', state: finishing }
  await endPage(store, work, { handled, remaining: again, delaySeconds: CHECK_AGAIN_SECONDS })
}
