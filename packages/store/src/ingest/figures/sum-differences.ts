// What a rebuild finds wrong in the figures of days and of all time: they must be the sums of hours. It reads without the
// writer lock, in one snapshot.
import { ALL_GATEWAYS, ALL_TIME, DAY, HOUR, type Span } from '@payment-tracking/domain'
import { inline, raw, sql, type Sql, type Tx } from '../../core/database/sql.js'
import type { Differences } from './figures.js'
import type { GatewayHour } from './gateway-hours.js'
import { DIFFERENCE, isWrong, toTokens, type TokenDifference } from './token-differences.js'

export interface SumDifferences extends Differences {
  /** the first hours of days of which a token lacks its extremes, or will */
  lacking: GatewayHour[]
  /** there may be other wrong rows */
  isCut: boolean
}

/** The key of a gateway: '' is the beginning, and all gateways are one of them. */
const toKey = (gateway: string): string => `=${gateway}`
export const toGateway = (key: string): string => key.slice(1)

/** The keys of the gateways of figures after one; all gateways first, paid or not. One probe of a primary key each. */
export async function readNextGateways(tx: Tx, after: string, limit: number): Promise<string[]> {
  const next = (condition: Sql): Sql => sql`
    select gateway from payment_stats where ${condition} order by gateway limit 1`
  const first =
    after === '' ? sql`${ALL_GATEWAYS}::text collate "C"` : sql`(${next(sql`gateway > ${toGateway(after)}`)})`
  const rows = await tx.$queryRaw<{ gateway: string }[]>(sql`
    with recursive gateways (gateway, number) as (
      select ${first}, 1
       union all
      select (${next(sql`gateway > g.gateway`)}), number + 1 from gateways g
       where g.gateway is not null and number < ${inline(limit)}
    ) select gateway from gateways where gateway is not null`)
  return rows.map(({ gateway }) => toKey(gateway))
}

/** Sums `c` by keys of the hours of a table, by day and of all time, beside those `s` that are stored. */
const summed = (table: Sql, keys: Sql, sums: Sql, ofKey: Sql): Sql => sql`
  (select ${keys}, w.span, w.start, ${sums}
     from ${table} h cross join lateral (
       values (${DAY}::int, date_trunc('day', h.start, 'UTC')), (${ALL_TIME}::int, 'epoch'::timestamptz)) w (span, start)
    where ${ofKey} and h.span = ${HOUR}::int group by ${keys}, w.span, w.start) c
  full join (select * from ${table} where ${ofKey} and span in (${ALL_TIME}::int, ${DAY}::int)) s
 using (${keys}, span, start)`

const extreme = (of: Sql): Sql =>
  sql`case when w.span = ${DAY} and bool_and(h.min is not null) then ${of} end`
const TOTALS = sql`
  sum(count) as count, sum(total) as total, ${extreme(sql`min(h.min)`)} as min, ${extreme(sql`max(h.max)`)} as max`

/** Reads all hours and days of one gateway, or of all gateways together. @param most the most rows of each kind */
export async function readSumDifferences(tx: Tx, gateway: string, most: number): Promise<SumDifferences> {
  const ofGateway = sql`gateway = ${gateway}`
  const keys = sql`gateway, token_mint`
  const rows = await tx.$queryRaw<TokenDifference[]>(sql`
    select gateway, span, start, token_mint as "tokenMint", ${DIFFERENCE}
      from ${summed(raw('payment_token_stats'), keys, TOTALS, ofGateway)} where ${isWrong} limit ${most}`)
  const counts = <Row>(table: string, key: string, ofKey: Sql): Promise<(Row & Count)[]> =>
    tx.$queryRaw<(Row & Count)[]>(sql`
      select ${raw(key)}, span, start, (coalesce(c.count, 0) - coalesce(s.count, 0))::bigint as count
        from ${summed(raw(table), raw(key), sql`sum(count) as count`, ofKey)}
       where c.count is distinct from s.count limit ${most}`)
  const stats = await counts<{ gateway: string }>('payment_stats', 'gateway', ofGateway)
  const names =
    gateway === ALL_GATEWAYS ? await counts<{ name: string }>('event_counts', 'name', sql`true`) : []
  const lacking = await tx.$queryRaw<GatewayHour[]>(sql`
    select distinct gateway, start from payment_token_stats
     where ${ofGateway} and span = ${inline(DAY)} and min is null`)
  return {
    ...toTokens(rows),
    stats: stats.map(row => ({ ...row, count: Number(row.count) })),
    names: names.map(row => ({ ...row, count: Number(row.count) })),
    lacking: [...lacking, ...rows.filter(({ span, keepsExtremes }) => span === DAY && !keepsExtremes)],
    isCut: Math.max(rows.length, stats.length, names.length) === most,
  }
}

interface Count {
  span: Span
  start: Date
  count: bigint
}
