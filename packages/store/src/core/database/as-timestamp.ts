import { sql, type Sql } from './sql.js'

const FIRST_MS = Date.parse('0001-01-01T00:00:00Z')
const LAST_MS = Date.parse('9999-12-31T23:59:59.999Z')

/** Converts milliseconds since the epoch for Postgres; a year of more than four digits becomes infinity. */
export function asTimestamp(ms: number): Sql {
  if (ms > LAST_MS) return sql`'infinity'::timestamptz`
  if (ms < FIRST_MS) return sql`'-infinity'::timestamptz`
  return sql`${new Date(ms)}::timestamptz`
}
