import type { Store } from '../database/open-store.js'
import { sql } from '../database/sql.js'
import { IS_LIVE } from '../rows/deliveries.js'

/**
 * Which of these claimed deliveries may still be sent: those whose webhooks are on, and were not turned off since the round of
 * tries began. By primary keys.
 */
export async function findLiveDeliveries({ database }: Store, ids: readonly bigint[]): Promise<bigint[]> {
  const rows = await database.read<{ id: bigint }>(sql`
    select d.id from deliveries d join webhooks w on w.id = d.webhook_id
     where d.id = any(${ids}::bigint[]) and ${IS_LIVE}`)
  return rows.map(({ id }) => id)
}
