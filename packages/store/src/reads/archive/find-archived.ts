// Where an archived event is asked for.
import { allOf, sql, type Store } from '../../core/database/sql.js'
import { eventConditions, type EventFilter } from '../lists/event-filter.js'
import { IS_ARCHIVED } from '../../core/tables/lists-begin.js'

const MONTH_OF = sql`to_char(e.occurred_at at time zone 'UTC', 'YYYY-MM')`

/** The month of an archived event that passes a filter. The filter must name a signature: events_signature_hash. */
export async function findArchivedMonth(
  { database }: Store,
  filter: EventFilter & { signature: string },
): Promise<string | null> {
  const [found] = await database.lookUp<{ month: string }>(sql`
    select ${MONTH_OF} as month from events e where ${IS_ARCHIVED} and ${allOf(eventConditions(filter))} limit 1`)
  return found?.month ?? null
}

/** The month of an event that was archived; null for an event in lists. Relies on the primary key. */
export async function findArchivedEvent({ database }: Store, id: string): Promise<string | null> {
  const [found] = await database.lookUp<{ month: string }>(
    sql`select ${MONTH_OF} as month from events e where ${IS_ARCHIVED} and e.id = ${id}::uuid`,
  )
  return found?.month ?? null
}

/** The month of the first archived events after a position. Relies on archive_parts_last_position. */
export async function findArchivedAfter({ database }: Store, position: bigint): Promise<string | null> {
  const [found] = await database.read<{ month: string }>(
    sql`select month from archive_parts where last_position > ${position} order by last_position limit 1`,
  )
  return found?.month ?? null
}

/** The last position of an archived event; 0 without one. */
export async function readArchivedUpTo({ database }: Store): Promise<bigint> {
  const [row] = await database.read<{ position: bigint }>(
    sql`select coalesce(max(last_position), 0) as position from archive_parts`,
  )
  return row!.position
}
