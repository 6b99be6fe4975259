// The payments of a gateway in the order of commits, by events_gateway_feed.
import { sql, type Sql } from '../database/sql.js'
import { hidden } from '../database/hidden.js'

/**
 * Of events `e`: the payments of a gateway behind a position, up to another. The gateway is the first column of a range and of the
 * order, and hidden: with a gateway that it sees, Postgres may sort all its payments, or read all payments by their positions.
 */
export function paymentsBetween(gateway: string, after: bigint, upTo: bigint): Sql {
  const key = hidden(sql`${`${gateway} `}::text collate "C"`)
  return sql`
    (e.gateway || ' ', e.position) > (${key}, ${after}::bigint) and (e.gateway || ' ', e.position) <= (${key}, ${upTo}::bigint)
    and e.amount is not null`
}

export const BY_POSITION = sql`e.gateway || ' ', e.position`
