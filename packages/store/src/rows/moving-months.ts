// A month moves into the archive, or back, in many pages. While it moves, all lists begin after that month, so a reader sees
// all of the month or nothing of it. Nothing before it is in a list either: those months are archived, or were restored.
import { sql } from '../database/sql.js'

/** Where lists begin: at the end of the last month that moves. Computed once for a statement. */
export const BEGINNING_OF_LISTS = sql`(select coalesce(max(ends_at), '-infinity') from archive_moves)`

/** Whether an event `e` of live_events lies before the beginning of lists. */
export const IS_BEFORE_LISTS = sql`e.occurred_at < ${BEGINNING_OF_LISTS}`

/**
 * Whether lists show an event `e` of live_events. It is a bound of the index that a list reads: the last page stops there, and
 * reads none of the events that move. No slot is negative. There are two columns because Postgres expects one event in 200
 * between two bounds of one column.
 */
export const IS_IN_LISTS = sql`(e.occurred_at, e.slot) >= (${BEGINNING_OF_LISTS}, -1)`

/** The same for a list in the order of slots: it ends at the slot of the first event after the months that move. */
export const IS_IN_SLOT_LISTS = sql`(e.slot, e.occurred_at) >= (coalesce((
  select coalesce((select f.slot from live_events f where f.occurred_at >= m.ends_at order by f.occurred_at, f.slot limit 1),
                  9223372036854775807)
    from archive_moves m order by m.ends_at desc limit 1), -1), '-infinity'::timestamptz)
  and (${IS_BEFORE_LISTS}) is not true`

/** The stream never skips an event that came while its month moved. */
export const IS_IN_STREAM = sql`not exists (
  select from archive_moves m where m.starts_at <= e.occurred_at and m.ends_at > e.occurred_at and m.up_to >= e.position)`
