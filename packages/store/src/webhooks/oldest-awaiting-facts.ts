import type { Store } from '../database/open-store.js'
import { sql } from '../database/sql.js'

/**
 * How long in seconds the oldest message has waited for a recipient or a token that the filters of its webhook need; 0 when
 * none waits. What waits for inactive webhooks is not counted: nothing would be sent. Reads what waits for facts alone, by
 * waiting_messages_policy.
 */
export async function readOldestAwaitingFactsSeconds({ database }: Store): Promise<number> {
  const [row] = await database.read<{ seconds: number }>(sql`
    select coalesce(extract(epoch from clock_timestamp() - min(a.since)), 0)::float8 as seconds
      from waiting_messages a
      join webhooks w on w.id = a.webhook_id and w.active and w.deleted_at is null
     where a.waits_for = 'facts'`)
  return Math.max(0, row?.seconds ?? 0)
}
