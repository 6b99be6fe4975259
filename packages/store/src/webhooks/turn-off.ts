// Turning webhooks off changes their rows alone, whatever waits for them: from then on nothing of them is live, and
// `work.ts` writes the rows of their deliveries.
import { sql, type Sql } from '../database/sql.js'

/**
 * The statement that turns webhooks off. Inactive webhooks keep when and why they were turned off.
 * @param which a condition on webhooks `w`
 * @param why `lastError` of the cancelled deliveries
 * @param more what else changes on the row
 * @param returned columns of `w`
 */
export const turnOff = (
  which: Sql,
  { why, more, returned = sql`w.id` }: { why: string; more?: Sql; returned?: Sql },
): Sql => sql`
  with off as (
    update webhooks w
       set active = false,
           turned_off_at = case when w.active then clock_timestamp() else w.turned_off_at end,
           turned_off_reason = case when w.active then ${why} else w.turned_off_reason end
           ${more === undefined ? sql`` : sql`, ${more}`}
     where ${which}
    returning ${returned}
  ), work as (
    insert into webhook_work (kind, webhook_id) select 'cancel', id from off
    on conflict (webhook_id, kind) do update
      set after_activation = 0, after_id = 0, is_settling = false, next_at = clock_timestamp()
  ), ended as (
    delete from webhook_work where kind = 'redeliver' and webhook_id in (select id from off)
  )
  select * from off`
