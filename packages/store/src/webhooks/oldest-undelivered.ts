import type { Store } from '../database/open-store.js'
import { sql } from '../database/sql.js'

/** The age in seconds of the oldest delivery that has not ended, whatever the reason; 0 when there is none. */
export async function readOldestUndeliveredSeconds({ database }: Store): Promise<number> {
  const [row] = await database.read<{ seconds: number }>(sql`
    select coalesce(extract(epoch from clock_timestamp() - min(opened_at)), 0)::float8 as seconds
      from deliveries where state in ('pending', 'waiting')`)
  return Math.max(0, row?.seconds ?? 0)
}
