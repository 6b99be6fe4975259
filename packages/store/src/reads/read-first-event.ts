import type { Store } from '../database/open-store.js'
import { sql } from '../database/sql.js'
import { BEGINNING_OF_LISTS } from '../rows/moving-months.js'

/** Where the lists of events begin; null while there is no event. */
export interface FirstEvent {
  position: bigint | null
  occurredAt: Date | null
}

/**
 * Reads the first entries of events_position_key and events_newest, behind the months that move. Where all events were archived,
 * lists begin behind them.
 */
export async function readFirstEvent({ database }: Store): Promise<FirstEvent> {
  const [first] = await database.lookUp<FirstEvent>(sql`
    select coalesce((select min(position) from live_events
                      where position > coalesce((select max(up_to) from archive_moves), 0)),
                    greatest((select max(last_position) from archive_parts), (select max(up_to) from archive_moves)) + 1)
             as position,
           coalesce((select min(occurred_at) from live_events where occurred_at >= ${BEGINNING_OF_LISTS}),
                    (select ((max(month) || '-01')::timestamp + interval '1 month') at time zone 'UTC' from archive_parts))
             as "occurredAt"`)
  return first!
}
