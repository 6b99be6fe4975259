import { ALL_GATEWAYS } from '@payment-tracking/domain'
import { inline, join, sql, type Sql, type Store } from '../../core/database/sql.js'
import { IN_USE } from '../../core/tables/head.js'
import { isPaymentOf, PAYMENT_NAMES } from '../../core/tables/payment-names.js'
import { bucketConditions, inRange } from './bucket-conditions.js'
import { firstAndLast } from './first-and-last.js'
import { lostExtremes } from './lost-extremes.js'
import { isCountOf } from './payment-counts.js'
import { coverTime, toTimeRange, type TimeRange } from './time-cover.js'

export interface StatsFilter {
  gateway?: string | undefined
  startTime?: Date | undefined
  endTime?: Date | undefined
}

export interface TokenStats {
  tokenMint: string | null
  count: bigint
  total: bigint
  /** null while an hour of too many payments to read lost it */
  min: bigint | null
  max: bigint | null
}

export interface PaymentStats {
  count: bigint
  firstAt: Date | null
  lastAt: Date | null
  /** most payments first, at most 1,000 tokens */
  byToken: TokenStats[]
}

/** First the row of all tokens, then those of each token. */
interface StatsRow extends Pick<PaymentStats, 'firstAt' | 'lastAt'> {
  tokenMint: string | null
  count: string
  total: string | null
  min: string | null
  max: string | null
}

/** Tokens of one answer, those with most payments: anybody can make tokens. Only these are summed up. */
const MOST_TOKENS = 1_000

const toBigInt = (text: string | null): bigint | null => (text === null ? null : BigInt(text))

/**
 * Counts, first and last time of payments, of a gateway or of all; and counts, sums and extremes by token.
 * Relies on the primary keys of event_counts and payment_token_stats, and on events_gateway_newest or events_newest for
 * less than an hour at either end, and for the first and last time within their hours. One statement, so one snapshot.
 *
 * Without times, counts and totals are stored, and extremes are two probes a token, whatever the number of days. The
 * statement reads at most 1,001 tokens, because other look-ups wait for it. A gateway with more tokens is asked again, over
 * the pool: 100,000 tokens take some 0.2 s. Extremes that are lost are found in the events of their hours, over the pool too.
 */
export async function readPaymentStats({ database }: Store, filter: StatsFilter): Promise<PaymentStats> {
  if (filter.startTime !== undefined || filter.endTime !== undefined)
    return toStats(await database.read<StatsRow>(ofTime(filter)))
  let rows = await database.lookUp<StatsRow>(ofAllTime(filter, sql`limit ${inline(MOST_TOKENS + 1)}`))
  if (rows.length > MOST_TOKENS + 1)
    rows = await database.read<StatsRow>(
      ofAllTime(filter, sql`order by count desc, token_mint limit ${inline(MOST_TOKENS)}`),
    )
  const lacks = rows.slice(1).some(({ min }) => min === null)
  return toStats(lacks ? await database.read<StatsRow>(ofTime(filter)) : rows)
}

/** The row of all tokens. */
const ofAllTokens = (gateway: string, count: Sql, range: TimeRange): Sql => sql`
  select null as "tokenMint", coalesce((${count}), 0)::text as count, null as total, null as min, null as max, ${firstAndLast(gateway, range)}`

/** Relies on payment_token_stats_min and payment_token_stats_max. */
function ofAllTime({ gateway = ALL_GATEWAYS }: StatsFilter, tokens: Sql): Sql {
  const days = sql`from payment_token_stats d where ${IN_USE} and d.gateway = ${gateway} and d.span = 86400 and d.token_mint = t.token_mint`
  const known = (extreme: Sql): Sql => sql`case when is_known then (select ${extreme} ${days}) end::text`
  return sql`
    ${ofAllTokens(gateway, sql`select sum(count) from event_counts where ${isCountOf(gateway)} and span = 0`, toTimeRange())}
     union all
    select nullif(token_mint, ''), count::text, total::text, ${known(sql`min(d.min)`)}, ${known(sql`max(d.max)`)}, null, null
      from (select token_mint, count, total, not exists (select ${days} and d.min is null) as is_known
              from payment_token_stats t where ${IN_USE} and gateway = ${gateway} and span = 0 and count > 0 ${tokens}) t`
}

/** Payments in an edge of the range. */
const edgePayments = (gateway: string, edge: TimeRange): Sql =>
  sql`from events e where ${isPaymentOf(gateway)} and ${inRange('e.occurred_at', edge)}`

/** Days, hours and events at the ends. */
function ofTime({ gateway = ALL_GATEWAYS, startTime, endTime }: StatsFilter): Sql {
  const range = toTimeRange(startTime, endTime)
  const cover = coverTime(range)
  const edges = cover.edges.map(edge => edgePayments(gateway, edge))
  const buckets = bucketConditions(gateway, cover, false)
  const counts = [
    sql`select 0::bigint as count`,
    ...buckets.map(
      bucket => sql`select count from event_counts where name in (${PAYMENT_NAMES}) and ${bucket}`,
    ),
    ...edges.map(edge => sql`select count(*) ${edge}`),
  ]
  const tokens = [
    ...buckets.map(
      bucket => sql`
        select token_mint, count, total, min, max, min is null and count > 0 as lacks
          from payment_token_stats where ${bucket}`,
    ),
    ...edges.map(
      edge => sql`
        select coalesce(e.token_mint, '') as token_mint, count(*) as count,
               sum(e.amount) as total, min(e.amount) as min, max(e.amount) as max, false ${edge}
         group by 1`,
    ),
  ]
  const known = (extreme: Sql): Sql =>
    sql`case when not bool_or(lacks) or (select is_read from readable) then ${extreme} end::text`
  const nothing = sql`select '' as token_mint, 0::bigint as count, 0 as total, null::numeric as min, null::numeric as max, false as lacks`
  return sql`
    ${ofAllTokens(gateway, sql`select sum(count) from (${join(counts, ' union all ')}) c`, range)}
     union all
    select * from (
      with ${lostExtremes(gateway, buckets)}, parts as materialized (
        ${join([nothing, ...tokens], ' union all ')}
         union all
        select token_mint, 0, 0, min, max, false from found), most_paid as materialized (
        select token_mint from parts group by token_mint having sum(count) > 0
         order by sum(count) desc, token_mint limit ${inline(MOST_TOKENS)})
      select nullif(token_mint, '') as "tokenMint", sum(count)::text as count, sum(total)::text as total,
             ${known(sql`min(min)`)}, ${known(sql`max(max)`)}, null::timestamptz, null::timestamptz
        from parts join most_paid using (token_mint)
       group by token_mint
    ) of_tokens`
}

function toStats([row, ...tokens]: readonly StatsRow[]): PaymentStats {
  const { count, firstAt, lastAt } = row!
  const byToken = tokens.map(token => ({
    tokenMint: token.tokenMint,
    count: BigInt(token.count),
    total: BigInt(token.total!),
    min: toBigInt(token.min),
    max: toBigInt(token.max),
  }))
  const mintKey = ({ tokenMint }: TokenStats) => tokenMint ?? ''
  byToken.sort((a, b) => Number(b.count - a.count) || (mintKey(a) < mintKey(b) ? -1 : 1))
  return { count: BigInt(count), firstAt, lastAt, byToken }
}
