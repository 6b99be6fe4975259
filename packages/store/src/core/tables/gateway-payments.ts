// Where the payments of a gateway are among all events, for those who read them in the order of commits. A row holds the positions
// of one batch: an index of events by gateway and position would be paid by each payment.
import { columnTable } from '../database/columns.js'
import type { PipelinedTx } from '../database/pipelined-transactions.js'
import { hidden } from '../database/hidden.js'
import { bigints, sql, type Sql } from '../database/sql.js'

/** The most positions of a row. */
const POSITIONS_OF_ROW = 200
/** After every position. */
const LAST_POSITION = 2n ** 63n - 1n

interface PositionsRow {
  gateway: string
  positions: bigint[]
  /** the number of the last of them among the positions of all rows */
  end: number
}

const POSITIONS = columnTable<PositionsRow>('p', {
  gateway: ['text', ({ gateway }) => gateway],
  last_position: ['bigint', ({ positions }) => positions.at(-1)],
  begin: ['integer', ({ positions, end }) => end - positions.length + 1],
  ending: ['integer', ({ end }) => end],
})

/** SQL: one text for all positions. @param payments of a batch, in the order of their positions */
export function writeGatewayPayments(
  tx: PipelinedTx,
  payments: readonly { gateway: string; position: bigint }[],
): void {
  if (payments.length === 0) return
  const rows: PositionsRow[] = []
  const open = new Map<string, PositionsRow>()
  for (const { gateway, position } of payments) {
    let row = open.get(gateway)
    if (row === undefined || row.positions.length === POSITIONS_OF_ROW) {
      row = { gateway, positions: [], end: 0 }
      rows.push(row)
      open.set(gateway, row)
    }
    row.positions.push(position)
  }
  let end = 0
  for (const row of rows) row.end = end += row.positions.length
  const all = bigints(rows.flatMap(({ positions }) => positions))
  tx.send(sql`
    insert into gateway_payments (gateway, last_position, positions)
    select gateway, last_position, (${all})[begin:ending] from ${POSITIONS.listOf(rows)}`)
}

/**
 * The next payments of a gateway after a position, up to another: rows of `events`. One probe of events_position_key a payment,
 * whatever else is stored. Every row of positions has at least one, so `limit` rows are enough; of these it opens only as many as
 * hold the page, and one that the position is within. The gateway is the first column of a range and of the order, and hidden: with
 * a gateway that it sees, Postgres may sort all its rows.
 */
export function gatewayPayments(gateway: string, after: bigint, upTo: bigint, limit: number): Sql {
  const key = hidden(sql`${gateway}::text collate "C"`)
  return sql`
  (select e.*
     from (select a.position
             from (select p.positions,
                          sum(cardinality(p.positions)) over (order by p.last_position) - cardinality(p.positions) as before
                     from (select * from gateway_payments
                            where (gateway, last_position) > (${key}, ${after}::bigint)
                              and (gateway, last_position) <= (${key}, ${LAST_POSITION}::bigint)
                            order by gateway, last_position limit ${limit}) p) p
            cross join lateral unnest(p.positions) as a (position)
            where p.before < ${limit + POSITIONS_OF_ROW} and a.position > ${after} and a.position <= ${upTo}
            order by a.position limit ${limit}) a
    cross join lateral (select * from events where position = a.position limit 1) e)`
}
