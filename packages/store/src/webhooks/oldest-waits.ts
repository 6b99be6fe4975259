import type { Store } from '../database/open-store.js'
import { sql, type Sql } from '../database/sql.js'
import { IS_OPEN, IS_ACTIVE } from './conditions.js'

/** The age in seconds of the oldest time of `from`; 0 when there is none. */
async function readOldest({ database }: Store, since: Sql, from: Sql): Promise<number> {
  const [row] = await database.read<{ seconds: number }>(sql`
    select coalesce(extract(epoch from clock_timestamp() - min(${since})), 0)::float8 as seconds from ${from}`)
  return Math.max(0, row?.seconds ?? 0)
}

/** The age of the oldest delivery that has not ended, whatever the reason. */
export const readOldestUndeliveredSeconds = (store: Store): Promise<number> =>
  readOldest(store, sql`d.opened_at`, sql`deliveries d where ${IS_OPEN}`)

/**
 * How long the oldest message has waited for a recipient or a token that the filters of its webhook need. What waits for
 * inactive webhooks is not counted: nothing would be sent. Reads what waits for facts alone, by waiting_messages_policy.
 */
export const readOldestAwaitingFactsSeconds = (store: Store): Promise<number> =>
  readOldest(
    store,
    sql`a.since`,
    sql`waiting_messages a join webhooks w on w.id = a.webhook_id and ${IS_ACTIVE}
         where a.waits_for = 'facts'`,
  )
