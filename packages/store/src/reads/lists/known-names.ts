import { sql } from '../../core/database/sql.js'

/** Every known name: each has one row of all time, and these rows have an index of their own. */
export const KNOWN_NAMES = sql`select name from event_counts where span = 0 order by name`
