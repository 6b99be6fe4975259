import type { Store } from '../core/database/open-store.js'
import { bigints, sql } from '../core/database/sql.js'
import { isNotQuarantined, isolate } from '../core/quarantine/isolate.js'
import { IS_OPEN, writeCancelled } from '../core/tables/delivery-rows.js'
import { endedActivation } from '../core/tables/delivery-ranges.js'
import { deliveryKeyOf, MOST_OF_PAGE, type Page, type WebhookWork } from './webhook-work.js'

/** Cancels open deliveries of a webhook that was turned off; then removes waiting messages of one that was deleted. */
export async function cancelPage(store: Store, work: WebhookWork): Promise<Page> {
  const after = deliveryKeyOf(work)
  const rows = await store.database.read<{ id: bigint; activation: number }>(sql`
    select d.id, d.activation from deliveries d
     where d.webhook_id = ${work.id} and d.activation <= ${endedActivation(work)} and ${IS_OPEN}
       and (d.activation, d.id) > (${after.activation}, ${after.id})
       and ${isNotQuarantined('cancel-deliveries', sql`d.id::text`)}
     order by d.activation, d.id limit ${MOST_OF_PAGE}`)
  const ids = rows.map(({ id }) => id)
  const counts = await isolate(store, 'cancel-deliveries', ids, some => cancelRows(store, some))
  const last = rows.at(-1)
  if (last !== undefined) {
    const handled = counts.reduce((sum, count) => sum + count, 0)
    const isLast = rows.length < MOST_OF_PAGE && !work.isDeleted
    return { handled, deliveries: [], remaining: isLast ? null : last }
  }
  const removed = work.isDeleted ? await removeWaiting(store, work.id) : 0
  return { handled: removed, deliveries: [], remaining: removed === MOST_OF_PAGE ? after : null }
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
const removeWaiting = ({ database }: Store, webhookId: bigint): Promise<number> =>
  database.execute(sql`
    delete from waiting_messages where ctid = any(array(
      select ctid from waiting_messages where webhook_id = ${webhookId}
       order by message_id limit ${MOST_OF_PAGE} for update skip locked))`)
