// Where lists begin. Events before it were archived: no list shows them, and their `data` may be shortened. It is one number in
// stream_head, so a month leaves the lists, and comes back, at once. `events` is one table: with a partition a month, look-ups by
// signature took 3 to 7 times as long, and two partitions doubled the bytes of the indexes (test/bench/HISTORY.md).
import { sql } from '../database/sql.js'

/** A time on the chain. Computed once for a statement. */
export const LISTS_BEGIN = sql`(select lists_begin from stream_head)`

/** Whether an event `e` was archived. */
export const IS_ARCHIVED = sql`e.occurred_at < ${LISTS_BEGIN}`

/** The opposite, in a form that no index serves: for statements where another condition has found the few events already. */
export const IS_NOT_ARCHIVED = sql`(${IS_ARCHIVED}) is not true`

/**
 * Whether lists show an event `e`. It is a bound of the index that a list reads: the last page stops there. No slot is negative.
 * There are two columns because Postgres expects one event in 200 between two bounds of one column.
 */
export const IS_IN_LISTS = sql`(e.occurred_at, e.slot) >= (${LISTS_BEGIN}, -1)`
