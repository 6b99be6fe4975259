import { sql, type Store } from '../../core/database/sql.js'

/**
 * The time on the chain from which the service knows what happened: of the oldest event that it ever stored. Null while
 * nothing is stored. A day without payments before that time is not known to be one.
 * Reads the first entry of events_newest.
 */
export async function readKnownSince({ database }: Store): Promise<Date | null> {
  const [row] = await database.read<{ since: Date | null }>(sql`
    select min(occurred_at) as since from events`)
  return row?.since ?? null
}
