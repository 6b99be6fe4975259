// What a rebuild finds wrong in the figures of hours. It reads without the writer lock, in one snapshot: meanwhile every
// change of a figure is a difference, so what was wrong in the snapshot is wrong by as much later.
import { ALL_GATEWAYS, HOUR, UNKNOWN_MINT } from '@payment-tracking/domain'
import { inline, raw, sql, type Sql, type Tx } from '../../core/database/sql.js'
import { IS_PAYMENT } from '../../core/tables/payment-names.js'
import type { Differences } from './figures.js'
import { hourKey, listOf, type GatewayHour } from './gateway-hours.js'
import { DIFFERENCE, isWrong, toTokens, type TokenDifference } from './token-differences.js'

/** Payments that one check reads, as the figures count them. One hour is read whole. */
const MOST_PAYMENTS = 20_000

/**
 * The hours of events after a key, those of all gateways before those of each. One probe of events_newest or
 * events_gateway_newest an hour. @param after the text of the last hour (`hourKey`); '' is the beginning
 */
export async function readNextHours(tx: Tx, after: string, limit: number): Promise<GatewayHour[]> {
  const [, start = '-infinity', gateway = ''] = /^(\S+) (.*)$/.exec(after) ?? []
  const most = inline(limit)
  const hourOf = (at: Sql): Sql => sql`date_trunc('hour', ${at}, 'UTC')`
  const hourAfter = sql`${start}::timestamptz + case when ${start} = '-infinity' then interval '0' else interval '1 hour' end`
  if (gateway === ALL_GATEWAYS) {
    const next = (from: Sql): Sql =>
      hourOf(sql`(select occurred_at from events where occurred_at >= ${from} order by occurred_at limit 1)`)
    const hours = await tx.$queryRaw<GatewayHour[]>(sql`
      with recursive hours (start, number) as (
        select ${next(hourAfter)}, 1
         union all
        select ${next(sql`h.start + interval '1 hour'`)}, number + 1 from hours h where h.start is not null and number < ${most}
      ) select ${ALL_GATEWAYS} as gateway, start from hours where start is not null`)
    if (hours.length > 0) return hours
  }
  const [ofGateway, from] =
    gateway === ALL_GATEWAYS ? [sql`''`, sql`'-infinity'::timestamptz`] : [sql`${gateway}`, hourAfter]
  const next = (key: Sql): Sql => sql`
    select e.gateway, e.occurred_at from events e where e.gateway is not null and (e.gateway, e.occurred_at) >= (${key})
     order by e.gateway, e.occurred_at limit 1`
  return tx.$queryRaw<GatewayHour[]>(sql`
    with recursive hours (gateway, start, number) as (
      select n.gateway, ${hourOf(sql`n.occurred_at`)}, 1 from (${next(sql`${ofGateway}, ${from}`)}) n
       union all
      select n.gateway, ${hourOf(sql`n.occurred_at`)}, number + 1
        from hours h cross join lateral (${next(sql`h.gateway, h.start + interval '1 hour'`)}) n where number < ${most}
    ) select gateway, start from hours`)
}

/** The first hours, at least one, that hold so many payments together. */
export async function firstOf(tx: Tx, hours: readonly GatewayHour[]): Promise<GatewayHour[]> {
  const rows = await tx.$queryRaw<(GatewayHour & { count: bigint })[]>(sql`
    select s.gateway, s.start, s.count from ${listOf(hours)}
      join payment_stats s on s.gateway = k.gateway and s.span = ${HOUR}::int and s.start = k.start`)
  const counts = new Map(rows.map(row => [hourKey(row), Number(row.count)]))
  let sum = 0
  return hours.filter((hour, at) => (sum += counts.get(hourKey(hour)) ?? 0) <= MOST_PAYMENTS || at === 0)
}

export interface HourDifferences extends Differences {
  /** hours of which a stored row lacks its extremes */
  lacking: GatewayHour[]
  /** how many of the hours, from the first on, have no other wrong token */
  whole: number
}

/** @param hours in their order. @param most the most wrong tokens. @param tx of one snapshot */
export async function readHourDifferences(
  tx: Tx,
  hours: readonly GatewayHour[],
  most: number,
): Promise<HourDifferences> {
  const rows = await readTokens(tx, hours, most)
  const ofAll = hours.filter(({ gateway }) => gateway === ALL_GATEWAYS)
  const [stats, names, lacking] = await Promise.all([
    readStats(tx, hours),
    ofAll.length === 0 ? [] : readNames(tx, ofAll),
    tx.$queryRaw<GatewayHour[]>(sql`
      select k.gateway, k.start from ${listOf(hours)}
       where exists (select from payment_token_stats s where s.gateway = k.gateway and s.span = ${inline(HOUR)}
                        and s.start = k.start and s.min is null)`),
  ])
  const last = rows.length < most ? undefined : rows.at(-1)
  return {
    ...toTokens(rows),
    stats: stats.map(row => ({ ...row, span: HOUR, count: Number(row.count) })),
    names: names.map(row => ({ ...row, span: HOUR, count: Number(row.count) })),
    lacking,
    whole: last === undefined ? hours.length : hours.findIndex(hour => hourKey(hour) === hourKey(last)),
  }
}

/** The valid payments of the hours `k`. Relies on events_gateway_newest and events_newest. */
const paymentsOf = (hours: readonly GatewayHour[]): Sql => {
  const valid = sql`${IS_PAYMENT} and e.retracted_at is null
    and e.occurred_at >= k.start and e.occurred_at < k.start + interval '1 hour'`
  const columns = sql`k.gateway, k.start, e.amount, coalesce(e.token_mint, ${UNKNOWN_MINT}) as token_mint`
  const [all, single] = [true, false].map(isAll =>
    hours.filter(({ gateway }) => (gateway === ALL_GATEWAYS) === isAll),
  ) as [GatewayHour[], GatewayHour[]]
  return sql`
    select ${columns} from ${listOf(single)} join events e on e.gateway = k.gateway and ${valid}
    union all
    select ${columns} from ${listOf(all)} join events e on ${valid}`
}

const storedOf = (hours: readonly GatewayHour[], table: Sql): Sql => sql`
  select s.* from ${listOf(hours)} join ${table} s on s.gateway = k.gateway and s.span = ${HOUR}::int and s.start = k.start`

const readTokens = (tx: Tx, hours: readonly GatewayHour[], most: number): Promise<TokenDifference[]> =>
  tx.$queryRaw<TokenDifference[]>(sql`
    select gateway, ${HOUR}::int as span, start, token_mint as "tokenMint", ${DIFFERENCE}
      from (select gateway, start, token_mint, count(*) as count, sum(amount) as total, min(amount) as min,
                   max(amount) as max from (${paymentsOf(hours)}) p group by 1, 2, 3) c
      full join (${storedOf(hours, raw('payment_token_stats'))}) s using (gateway, start, token_mint)
     where ${isWrong}
     order by gateway collate "C", start limit ${most}`)

const readStats = (tx: Tx, hours: readonly GatewayHour[]): Promise<(GatewayHour & { count: bigint })[]> =>
  tx.$queryRaw(sql`
    select gateway, start, coalesce(c.count, 0) - coalesce(s.count, 0) as count
      from (select gateway, start, count(*) as count from (${paymentsOf(hours)}) p group by 1, 2) c
      full join (${storedOf(hours, raw('payment_stats'))}) s using (gateway, start)
     where c.count is distinct from s.count`)

/** The service has few names: each is found by a probe, whatever spans it has rows of, and probed for each hour. */
const readNames = (
  tx: Tx,
  hours: readonly GatewayHour[],
): Promise<{ name: string; start: Date; count: bigint }[]> =>
  tx.$queryRaw(sql`
    with recursive names (name) as (
      select min(name) from event_counts
       union all
      select (select min(c.name) from event_counts c where c.name > n.name) from names n where n.name is not null
    )
    select name, start, coalesce(c.count, 0) - coalesce(s.count, 0) as count
      from (select e.name, k.start, count(*) as count
              from ${listOf(hours)} join events e on e.retracted_at is null
               and e.occurred_at >= k.start and e.occurred_at < k.start + interval '1 hour' group by 1, 2) c
      full join (select s.name, s.start, s.count from ${listOf(hours)} cross join names n
                   join event_counts s on s.name = n.name and s.span = ${HOUR}::int and s.start = k.start) s
     using (name, start)
     where c.count is distinct from s.count`)
