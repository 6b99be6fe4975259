import type { Store } from '../database/open-store.js'
import { sql } from '../database/sql.js'

/** Where the lists of events begin; null while there is no event. */
export interface FirstEvent {
  position: bigint | null
  occurredAt: Date | null
}

/** Reads the first entries of events_position_key and events_newest. */
export async function readFirstEvent({ database }: Store): Promise<FirstEvent> {
  const [first] = await database.lookUp<FirstEvent>(sql`
    select (select min(position) from live_events) as position, (select min(occurred_at) from live_events) as "occurredAt"`)
  return first!
}
