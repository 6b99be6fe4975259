import type { Store } from '../database/open-store.js'
import { sql } from '../database/sql.js'
import { tryRetentionLock } from '../retention/retention-lock.js'

/**
 * Removes deliveries that ended before the retention began, with their attempts, and then webhooks that were deleted
 * before it and have no delivery left. One small step, so that no other transaction waits long; one worker runs it at a
 * time. A delivery that has not ended stays, however old.
 * @returns how many deliveries were removed
 */
export function removeOldDeliveries(
  { database }: Store,
  retention: { days: number; limit: number },
): Promise<number> {
  return database.transaction(async tx => {
    if (!(await tryRetentionLock(tx))) return 0
    const removed = await tx.$executeRaw(sql`
      with old as (
        select id from deliveries
         where finished_at < clock_timestamp() - make_interval(days => ${retention.days}::integer)
           and state not in ('pending', 'waiting')
         order by finished_at limit ${retention.limit} for update skip locked
      ), attempts as (
        delete from delivery_attempts where delivery_id in (select id from old)
      )
      delete from deliveries where id in (select id from old)`)
    await tx.$executeRaw(sql`
      delete from webhooks w
       where w.deleted_at < clock_timestamp() - make_interval(days => ${retention.days}::integer)
         and not exists (select from deliveries d where d.webhook_id = w.id)`)
    return removed
  })
}
