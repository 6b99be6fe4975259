import type { Store } from '../../core/database/open-store.js'
import { sql } from '../../core/database/sql.js'
import { IN_USE } from '../../core/tables/head.js'
import { KNOWN_NAMES } from './known-names.js'

/** Whether an event of this name was ever stored. */
export async function isEventNameKnown({ database }: Store, name: string): Promise<boolean> {
  const rows = await database.lookUp(sql`
    select from event_counts where ${IN_USE} and span = 0 and name = ${name} limit 1`)
  return rows.length > 0
}

/** The names of all stored events, sorted as bytes. Relies on event_counts_all_time. */
export async function listEventNames({ database }: Store): Promise<string[]> {
  const rows = await database.lookUp<{ name: string }>(sql`${KNOWN_NAMES}`)
  return rows.map(row => row.name)
}
