import type { Store } from '../database/open-store.js'
import { sql, type Tx } from '../database/sql.js'
import { cancelDeliveries } from './conditions.js'
import { insertNotices, TROUBLED_COLUMNS, type TroubledWebhook } from './tell-failing-webhooks.js'

/** Why the service itself deactivated a webhook; shown on the record. */
export type DeactivationReason = 'gone' | 'failing' | 'gateway-deleted'

export const cancelOpenDeliveries = (tx: Tx, webhookIds: readonly bigint[], why: string): Promise<number> =>
  tx.$executeRaw(cancelDeliveries(sql`d.webhook_id = any(${webhookIds.map(String)}::bigint[])`, why))

/**
 * Deactivates webhooks and cancels their open deliveries. Inactive webhooks keep their reason. The gateway is told on its
 * other webhooks; a sweeper enqueues these deliveries.
 * @returns the ids of the webhooks that were active
 */
export async function deactivateWebhooks(
  { database }: Store,
  webhookIds: readonly bigint[],
  reason: DeactivationReason,
): Promise<bigint[]> {
  return database.transaction(async tx => {
    const rows = await tx.$queryRaw<TroubledWebhook[]>`
      update webhooks w set active = false, deactivated_reason = ${reason}, deactivated_at = clock_timestamp()
       where w.id = any(${webhookIds.map(String)}::bigint[]) and w.active
      returning ${TROUBLED_COLUMNS}`
    const ids = rows.map(row => row.id)
    if (ids.length > 0) await cancelOpenDeliveries(tx, ids, `webhook deactivated: ${reason}`)
    // The webhooks of a deleted gateway all end: nobody is left to be told.
    if (reason !== 'gateway-deleted') await insertNotices(tx, 'webhook.deactivated', rows)
    return ids
  })
}

/** Active webhooks whose gateway is deleted on the chain. */
export async function findWebhooksOfDeletedGateways({ database }: Store): Promise<bigint[]> {
  const rows = await database.read<{ id: bigint }>(sql`
    select w.id from webhooks w join gateways g on g.address = w.gateway
     where w.active and g.deleted_order is not null
       and (g.life_start is null or g.life_start <= g.deleted_order)`)
  return rows.map(row => row.id)
}

/**
 * Updates `failing_since`: the first failure sets it, any success clears it.
 * @returns webhooks whose every attempt failed for `limitMs`
 */
export async function noteWebhookHealth(
  { database }: Store,
  health: { failed: readonly bigint[]; succeeded: readonly bigint[] },
  limitMs: number,
): Promise<bigint[]> {
  const rows = await database.write<{ id: bigint; failing: boolean }>(sql`
    update webhooks
       set failing_since = case when id = any(${health.succeeded.map(String)}::bigint[]) then null
                                else coalesce(failing_since, clock_timestamp()) end
     where id = any(${[...health.failed, ...health.succeeded].map(String)}::bigint[])
    returning id, coalesce(failing_since < clock_timestamp() - make_interval(secs => ${limitMs}::float8 / 1000),
                           false) as failing`)
  return rows.filter(row => row.failing).map(row => row.id)
}
