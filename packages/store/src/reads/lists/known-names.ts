import { sql } from '../../core/database/sql.js'
import { IN_USE } from '../../core/tables/head.js'

/** Every known name: each has one row of all time, and these rows have an index of their own. */
export const KNOWN_NAMES = sql`select name from event_counts where ${IN_USE} and span = 0 order by name`
