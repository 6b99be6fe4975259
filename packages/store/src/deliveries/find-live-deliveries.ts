import type { Store } from '../core/database/open-store.js'
import { bigints, sql } from '../core/database/sql.js'
import { IS_LIVE } from '../core/tables/delivery-rows.js'

/**
 * Finds the claimed deliveries that may still be sent. A delivery may not be sent when its webhook is off, or was turned off
 * and on again after the delivery's tries began. Reads by primary keys.
 */
export async function findLiveDeliveries({ database }: Store, ids: readonly bigint[]): Promise<bigint[]> {
  const rows = await database.read<{ id: bigint }>(sql`
    select d.id from deliveries d join webhooks w on w.id = d.webhook_id
     where d.id = any(${bigints(ids)}) and ${IS_LIVE}`)
  return rows.map(({ id }) => id)
}
