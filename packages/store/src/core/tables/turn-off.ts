// Turning webhooks off changes their rows alone, whatever waits for them: from then on nothing of them is live, and
// `cancel-page.ts` writes the rows of their deliveries.
import { sql, type Sql } from '../database/sql.js'
import { REQUEUE } from '../tasks/work-table.js'

/** Why the service itself deactivated a webhook; shown on the record. */
export type DeactivationReason = 'gone' | 'failing' | 'gateway-deleted'

/**
 * The statement that turns webhooks off. Inactive webhooks keep when and why they were turned off. SQL: three tables change together.
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
    insert into work (kind, key, gateway)
    select 'cancel', o.id::text, w.gateway from off o join webhooks w on w.id = o.id
    on conflict (kind, key) do update set cursor = '', state = null, ${REQUEUE}
  ), ended as (
    delete from work where kind in ('redeliver', 'replay') and key in (select id::text from off)
  )
  select * from off`
