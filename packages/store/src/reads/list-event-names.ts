import type { Store } from '../database/open-store.js'
import { sql } from '../database/sql.js'
import { KNOWN_NAMES } from './count-events.js'

/** The names of all stored events, sorted as bytes. Relies on event_counts_all_time. */
export async function listEventNames({ database }: Store): Promise<string[]> {
  const rows = await database.lookUp<{ name: string }>(sql`${KNOWN_NAMES}`)
  return rows.map(row => row.name)
}
