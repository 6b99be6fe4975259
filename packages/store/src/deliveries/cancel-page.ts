import { bigints, sql, type Store } from '../core/database/sql.js'
import { isNotQuarantined, isolate } from '../core/quarantine/isolate.js'
import { IS_OPEN, writeCancelled } from '../core/tables/delivery-rows.js'
import { endedActivation } from '../core/tables/delivery-ranges.js'
import type { WebhookPage, WebhookWork } from './webhook-page.js'

const CHECK_AGAIN_SECONDS = 5

/** Cancels open deliveries of a webhook that was turned off; then removes waiting messages of one that was deleted. */
export async function cancelPage(store: Store, work: WebhookWork, limit: number): Promise<WebhookPage> {
  const [activation = '0', id = '0'] = work.cursor.split(' ')
  const rows = await store.database.read<{ id: bigint; activation: number }>(sql`
    select d.id, d.activation from deliveries d
     where d.webhook_id = ${work.id} and d.activation <= ${endedActivation(work)} and ${IS_OPEN}
       and (d.activation, d.id) > (${Number(activation)}, ${BigInt(id)})
       and ${isNotQuarantined('cancel-deliveries', sql`d.id::text`)}
     order by d.activation, d.id limit ${limit}`)
  const ids = rows.map(row => row.id)
  const counts = await isolate(store, 'cancel-deliveries', ids, some => cancelRows(store, some))
  const cancelled = counts.reduce((sum, count) => sum + count, 0)
  const last = rows.at(-1)
  if (last !== undefined && (rows.length === limit || work.isDeleted)) {
    const continued = { ...work, cursor: `${last.activation} ${last.id}` }
    return { done: [], continued, handled: cancelled, deliveries: [], hasMore: true }
  }
  const removed = work.isDeleted ? await removeWaiting(store, work.id, limit) : 0
  const found = { handled: cancelled + removed, deliveries: [] }
  if (removed === limit) return { done: [], continued: work, ...found, hasMore: true }
  // From the beginning on, nothing is left, and nobody writes more.
  if (work.isFinished && work.cursor === '' && cancelled === rows.length)
    return { done: [work], ...found, hasMore: false }
  // All found rows are written. Transactions that saw the webhook on may still commit rows: the work checks again.
  const continued = { ...work, cursor: '', state: { isFinishing: true } }
  return { done: [], continued, ...found, delaySeconds: CHECK_AGAIN_SECONDS, hasMore: false }
}

/**
 * Writes what readers of these rows find already. Skips rows that a claim or a result has locked: the work checks again.
 * Locks in the order of claims. SQL: skips locked rows.
 */
const cancelRows = ({ database }: Store, ids: readonly bigint[]): Promise<number> =>
  database.execute(
    writeCancelled(sql`array(
      select d.id from deliveries d where d.id = any(${bigints(ids)}) and ${IS_OPEN}
       order by d.id for update skip locked)`),
  )

/** SQL: skips locked rows. */
const removeWaiting = ({ database }: Store, webhookId: bigint, limit: number): Promise<number> =>
  database.execute(sql`
    delete from waiting_messages where ctid = any(array(
      select ctid from waiting_messages where webhook_id = ${webhookId}
       order by message_id limit ${limit} for update skip locked))`)
