import type { PreparedSql } from '../prepared-sql.js'
import { KNOWN_NAMES } from './count-events.js'

/** The names of all events there are, sorted as bytes. Relies on the primary key of event_counts. */
export async function listEventNames(sql: PreparedSql): Promise<string[]> {
  const rows = await sql.$queryRaw<{ name: string }[]>`${KNOWN_NAMES}`
  return rows.map(row => row.name)
}
