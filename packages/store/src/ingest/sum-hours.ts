// Days are sums of hours, and all time is the sum of days.
import { SPANS, startOf } from '@payment-tracking/domain'
import { sql, type Sql } from '../database/sql.js'
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

/** A sum of parts has no extreme while one of the parts has none. */
const extreme = (of: 'min' | 'max', column: Sql): Sql =>
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

/** One probe for each hour of a day, and for each day of the gateway's life. */
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
  tx.send(sql`
    delete from payment_token_stats s using ${listOfTokens(list)}
     where s.gateway = k.gateway and s.span = ${to} and s.start = k.start and s.token_mint = k.token_mint`)
  const parts =
    to === ALL_TIME
      ? sql`(select generate_series(min(d.start), max(d.start), interval '1 day') as start from payment_stats d
              where d.gateway = k.gateway and d.span = ${DAY}::int)`
      : sql`generate_series(k.start, k.start + interval '23 hours', interval '1 hour')`
  tx.send(sql`
    insert into payment_token_stats (gateway, span, start, token_mint, count, total, min, max)
    select k.gateway, ${to}::int, k.start, k.token_mint, sum(s.count), sum(s.total), ${extreme('min', sql`s.min`)},
           ${extreme('max', sql`s.max`)}
      from ${listOfTokens(list)} cross join lateral ${parts} as part (start)
      join payment_token_stats s on s.gateway = k.gateway and s.span = ${from} and s.start = part.start
       and s.token_mint = k.token_mint
     group by k.gateway, k.start, k.token_mint`)
}
