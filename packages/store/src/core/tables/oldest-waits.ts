import { raw, sql, type Sql, type Store } from '../database/sql.js'
import { IS_ACTIVE, IS_LIVE, IS_OPEN, IS_UNCLAIMED } from './delivery-rows.js'

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

/**
 * How long the oldest due delivery that no worker has begun has waited; 0 when none waits. A delivery that was deferred is looked
 * at again at its time and deferred anew: it is not late. Reads the oldest 10,000 due rows, by deliveries_due. When none of these
 * counts, and there can be more, the answer is null.
 */
export async function readOldestDueSeconds({ database }: Store): Promise<number | null> {
  const [row] = await database.read<{ seconds: number | null }>(sql`
    select coalesce(extract(epoch from clock_timestamp() - min(d.due_at) filter (where d.state = 'pending' and ${IS_UNCLAIMED} and ${IS_LIVE})),
             case when count(*) < ${OLDEST_READ} then 0 end)::float8 as seconds
      from (select d.due_at, d.webhook_id, d.activation, d.state, d.claimed_until from deliveries d
             where ${IS_OPEN} and d.due_at < statement_timestamp()
             order by d.due_at limit ${OLDEST_READ}) d
      left join webhooks w on w.id = d.webhook_id`)
  return row!.seconds
}
