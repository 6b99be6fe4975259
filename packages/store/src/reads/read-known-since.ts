import type { Store } from '../database/open-store.js'
import { sql } from '../database/sql.js'

/** Of payment_stats. */
const DAY = 86_400

/**
 * The time on the chain from which the service knows what happened: of the oldest event that it ever stored, or of the
 * oldest payment where older events were archived. Null while nothing is stored. A day without payments before that time
 * is not known to be one.
 * Reads the first entries of events_newest and of the primary key of payment_stats.
 */
export async function readKnownSince({ database }: Store): Promise<Date | null> {
  const [row] = await database.read<{ since: Date | null }>(sql`
    select least((select min(occurred_at) from events),
                 (select first_at from payment_stats where gateway = '' and span = ${DAY}::int order by start limit 1))
           as since`)
  return row?.since ?? null
}
