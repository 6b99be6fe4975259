// Days are sums of hours, and all time is the sum of days.
import { SPANS, startOf } from '@payment-tracking/domain'
import { raw, sql, type Sql } from '../database/sql.js'
import type { PipelinedTx } from '../database/pipelined-transactions.js'
import { keyOf, listOf, type GatewayHour, type TokenHour } from './gateway-hours.js'

const [ALL_TIME, DAY, HOUR] = SPANS

export function clear(tx: PipelinedTx, span: number, groups: readonly GatewayHour[]): void {
  tx.send(sql`
    delete from payment_stats s using ${listOf(groups)}
     where s.gateway = k.gateway and s.span = ${span} and s.start = k.start`)
  if (span !== HOUR) return
  tx.send(sql`
    delete from payment_token_stats s using ${listOf(groups)}
     where s.gateway = k.gateway and s.span = ${span} and s.start = k.start`)
}

/**
 * Writes the days that hold some hours from their hours, and all time from its days.
 * @param tokens the tokens whose figures changed in these hours: a gateway can have any number of others
 */
export function sumUp(tx: PipelinedTx, hours: readonly GatewayHour[], tokens: readonly TokenHour[]): void {
  for (const [from, to] of [
    [HOUR, DAY],
    [DAY, ALL_TIME],
  ] as const) {
    sumSpan(tx, from, to, hours)
    if (tokens.length > 0) sumTokens(tx, from, to, tokens)
  }
}

/** Writes the days that hold some hours, and all time, of events by name. All time is a row for each day. */
export function sumNames(tx: PipelinedTx, hours: readonly { name: string; start: Date }[]): void {
  if (hours.length === 0) return
  for (const [from, to] of [
    [HOUR, DAY],
    [DAY, ALL_TIME],
  ] as const) {
    const groups = hours.map(({ name, start }) => ({ name, start: startOf(to, start).toISOString() }))
    const list = sql`(select distinct * from unnest(${groups.map(({ name }) => name)}::text[],
      ${groups.map(({ start }) => start)}::timestamptz[]) as d (name, start)) as k`
    tx.send(sql`
      delete from event_counts c using ${list} where c.name = k.name and c.span = ${to}::int and c.start = k.start`)
    tx.send(sql`
      insert into event_counts (name, span, start, count)
      select k.name, ${to}::int, k.start, sum(c.count)
        from ${list} join event_counts c on c.name = k.name and c.span = ${from}::int and c.start >= k.start
         and (${to === ALL_TIME}::boolean or c.start < k.start + interval '1 day')
       group by k.name, k.start`)
  }
}

/** A sum of parts has no extreme while one of the parts has none. */
export const extreme = (of: 'min' | 'max', column: Sql): Sql =>
  sql`case when bool_and(${column} is not null) then ${of === 'min' ? sql`min` : sql`max`}(${column}) end`

function sumSpan(
  tx: PipelinedTx,
  from: number,
  to: (typeof SPANS)[number],
  hours: readonly GatewayHour[],
): void {
  const groups = new Map<string, GatewayHour>()
  for (const { gateway, start: hour } of hours) {
    const group = { gateway, start: startOf(to, hour) }
    groups.set(keyOf(group), group)
  }
  const list = [...groups.values()]
  const parts = sql`s.gateway = k.gateway and s.span = ${from} and s.start >= k.start
    and (${to === ALL_TIME}::boolean or s.start < k.start + interval '1 day')`
  clear(tx, to, list)
  tx.send(sql`
    insert into payment_stats (gateway, span, start, count, total, min, max, first_at, last_at)
    select k.gateway, ${to}::int, k.start, sum(s.count), sum(s.total), ${extreme('min', sql`s.min`)},
           ${extreme('max', sql`s.max`)}, ${extreme('min', sql`s.first_at`)}, ${extreme('max', sql`s.last_at`)}
      from ${listOf(list)} join payment_stats s on ${parts} group by k.gateway, k.start`)
}

export const listOfTokens = (tokens: readonly TokenHour[]): Sql => sql`
  unnest(${tokens.map(({ gateway }) => gateway)}::text[], ${tokens.map(({ start }) => start.toISOString())}::timestamptz[],
         ${tokens.map(({ tokenMint }) => tokenMint)}::text[]) as k (gateway, start, token_mint)`

/**
 * The rows `s` of payment_token_stats of some tokens, each by a probe of its key. Without `offset 0`, Postgres may join them with
 * all tokens of their hours. A place holds still, because only the owner of the writer lock writes figures.
 */
export const isOneOf = (tokens: readonly TokenHour[], span: number): Sql => sql`
  s.ctid = any(array(
    select f.place from ${listOfTokens(tokens)}
     cross join lateral (
       select s.ctid as place from payment_token_stats s
        where s.gateway = k.gateway and s.span = ${raw(String(span))} and s.start = k.start and s.token_mint = k.token_mint
        offset 0) f))`

/** For each token: a probe for each hour of a day; and the days on which it was paid, by payment_token_stats_days. */
function sumTokens(
  tx: PipelinedTx,
  from: number,
  to: (typeof SPANS)[number],
  tokens: readonly TokenHour[],
): void {
  const groups = new Map<string, TokenHour>()
  for (const { gateway, start: hour, tokenMint } of tokens) {
    const group = { gateway, start: startOf(to, hour), tokenMint }
    groups.set(`${keyOf(group)} ${tokenMint}`, group)
  }
  const list = [...groups.values()]
  tx.send(sql`delete from payment_token_stats s where ${isOneOf(list, to)}`)
  const ofToken = (span: number): Sql => sql`
    select * from payment_token_stats s
     where s.gateway = k.gateway and s.span = ${raw(String(span))} and s.token_mint = k.token_mint`
  const parts =
    to === ALL_TIME
      ? sql`cross join lateral (${ofToken(DAY)} offset 0) s`
      : sql`
        cross join lateral generate_series(k.start, k.start + interval '23 hours', interval '1 hour') as part (start)
        cross join lateral (${ofToken(from)} and s.start = part.start offset 0) s`
  tx.send(sql`
    insert into payment_token_stats (gateway, span, start, token_mint, count, total, min, max)
    select k.gateway, ${to}::int, k.start, k.token_mint, sum(s.count), sum(s.total), ${extreme('min', sql`s.min`)},
           ${extreme('max', sql`s.max`)}
      from ${listOfTokens(list)} ${parts}
     group by k.gateway, k.start, k.token_mint`)
}
