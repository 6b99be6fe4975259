// The payments of a gateway in the order of commits, by events_gateway_feed: its migration says why by expressions.
import { sql, type Sql } from '../database/sql.js'
import { hidden } from '../reads/hidden.js'

/** Of events `e`: the payments of a gateway behind a position, up to another. Of a gateway that it sees, Postgres may sort all. */
export const paymentsBetween = (gateway: string, after: bigint, upTo: bigint): Sql => sql`
  e.gateway || ' ' = ${hidden(sql`${`${gateway} `}::text`)} and e.amount is not null
  and e.position + 0 > ${after} and e.position + 0 <= ${upTo}`

export const BY_POSITION = sql`e.position + 0`
