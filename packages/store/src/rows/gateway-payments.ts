// The payments of a gateway in the order of commits, by events_gateway_feed: its migration says why by expressions.
import { sql, type Sql } from '../database/sql.js'

/** Of events `e`: the payments of a gateway behind a position, up to another. */
export const paymentsBetween = (gateway: string, after: bigint, upTo: bigint): Sql => sql`
  e.gateway || ' ' = ${`${gateway} `} and e.amount is not null and e.position + 0 > ${after} and e.position + 0 <= ${upTo}`

export const BY_POSITION = sql`e.position + 0`
