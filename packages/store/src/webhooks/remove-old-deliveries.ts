import type { Store } from '../database/open-store.js'
import { sql } from '../database/sql.js'

/**
 * Removes deliveries that ended before the retention began, with their attempts, and then webhooks that were
 * deleted before it and have no delivery left. Works in small sets so that nobody waits for it; `skip locked`
 * lets several workers do it.
 * @returns how many deliveries were removed
 */
export async function removeOldDeliveries(
  { database }: Store,
  retention: { days: number; limit: number },
): Promise<number> {
  const removed = await database.execute(sql`
    with old as (
      select id from deliveries
       where finished_at < clock_timestamp() - make_interval(days => ${retention.days}::integer)
         and state not in ('pending', 'waiting')
       order by finished_at limit ${retention.limit} for update skip locked
    ), attempts as (
      delete from delivery_attempts where delivery_id in (select id from old)
    )
    delete from deliveries where id in (select id from old)`)
  await database.execute(sql`
    delete from webhooks w
     where w.deleted_at < clock_timestamp() - make_interval(days => ${retention.days}::integer)
       and not exists (select from deliveries d where d.webhook_id = w.id)`)
  return removed
}
