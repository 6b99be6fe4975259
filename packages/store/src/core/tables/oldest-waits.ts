import type { Store } from '../database/open-store.js'
import { raw, sql, type Sql } from '../database/sql.js'
import { IS_ACTIVE, IS_LIVE, IS_OPEN } from './delivery-rows.js'

/** How many of the oldest rows are read. */
const OLDEST_READ = raw('10000')

/**
 * The age in seconds of the oldest row that counts; 0 when no row counts. Reads the oldest 10,000 rows. When none of these
 * counts, answers with the age of the youngest of them: a row that counts cannot be older than that.
 * @param oldest selects the rows by age, the oldest first, with their time as `since`
 * @param counts the condition of a row that counts, on the row `d` and its webhook `w`
 */
async function readOldest({ database }: Store, oldest: Sql, counts: Sql): Promise<number> {
  const [row] = await database.read<{ seconds: number }>(sql`
    select coalesce(extract(epoch from clock_timestamp() - coalesce(
             min(d.since) filter (where ${counts}),
             case when count(*) = ${OLDEST_READ} then max(d.since) end)), 0)::float8 as seconds
      from (${oldest} limit ${OLDEST_READ}) d
      left join webhooks w on w.id = d.webhook_id`)
  return Math.max(0, row?.seconds ?? 0)
}

/** The age of the oldest delivery that has not ended, whatever the reason. Relies on deliveries_open. */
export const readOldestUndeliveredSeconds = (store: Store): Promise<number> =>
  readOldest(
    store,
    sql`select d.opened_at as since, d.webhook_id, d.activation from deliveries d where ${IS_OPEN} order by d.opened_at`,
    IS_LIVE,
  )

/**
 * How long the oldest message has waited for a recipient or a token that the filters of its webhook need. What waits for
 * inactive webhooks is not counted: nothing would be sent. Relies on waiting_messages_since.
 */
export const readOldestAwaitingDetailsSeconds = (store: Store): Promise<number> =>
  readOldest(
    store,
    sql`select a.since, a.webhook_id from waiting_messages a where a.waits_for = 'details' order by a.since`,
    IS_ACTIVE,
  )
