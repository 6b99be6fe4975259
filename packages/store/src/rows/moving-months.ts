// A month moves into the archive, or back, in many pages. All that time it is in no list: a reader finds the whole month or
// nothing of it.
import { sql } from '../database/sql.js'

/** The times of all months that move; null without any. Computed once for a statement. */
const MOVING = sql`(select range_agg(tstzrange(starts_at, ends_at)) from archive_moves)`

/** Whether the month of an event `e` of live_events moves. */
export const IS_MOVING = sql`(e.occurred_at <@ ${MOVING}) is true`

/** Postgres expects it of nearly all events, with statistics and without: lists keep their plans. */
export const IS_IN_LISTS = sql`(e.occurred_at <@ ${MOVING}) is not true`

/** The stream never skips an event that came while its month moved. */
export const IS_IN_STREAM = sql`(${IS_IN_LISTS} or not exists (
  select from archive_moves m where m.starts_at <= e.occurred_at and m.ends_at > e.occurred_at and m.up_to >= e.position))`
