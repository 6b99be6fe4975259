import type { Store } from '../database/open-store.js'
import { empty, join, raw, sql, type Sql } from '../database/sql.js'
import { bucketConditions, inRange } from './bucket-conditions.js'
import { IS_PAYMENT } from '../rows/payment-names.js'
import { coverTime, toTimeRange, type TimeRange } from './time-cover.js'

export interface StatsFilter {
  gateway?: string | undefined
  startTime?: Date | undefined
  endTime?: Date | undefined
}

interface Sums {
  count: bigint
  total: bigint
  /** null where there is no payment */
  min: bigint | null
  max: bigint | null
}

export interface PaymentStats extends Sums {
  firstAt: Date | null
  lastAt: Date | null
  /** most payments first, at most 1,000 tokens */
  byToken: ({ tokenMint: string | null } & Sums)[]
}

/** The columns of `SUMS`. */
interface SumsRow {
  count: string
  total: string
  min: string | null
  max: string | null
}

/** First the sums over all tokens, then those of each token. */
interface StatsRow extends SumsRow, Pick<PaymentStats, 'firstAt' | 'lastAt'> {
  tokenMint: string | null
}

/** Tokens of one answer, those with most payments: anybody can make tokens. Only these are summed up. */
const MOST_TOKENS = 1_000

/** An extreme of parts is not known while the extreme of one part is counted again. */
const SUMS = sql`
  coalesce(sum(count), 0)::text as count, coalesce(sum(total), 0)::text as total,
  case when bool_and(min is not null or count = 0) then min(min) end::text as min,
  case when bool_and(max is not null or count = 0) then max(max) end::text as max`

const toBigInt = (text: string | null): bigint | null => (text === null ? null : BigInt(text))

const toSums = ({ count, total, min, max }: SumsRow): Sums => ({
  count: BigInt(count),
  total: BigInt(total),
  min: toBigInt(min),
  max: toBigInt(max),
})

/** Payments in an edge of the range. */
const edgePayments = (gateway: string | undefined, edge: TimeRange) => {
  const ofGateway = gateway === undefined ? empty : sql`and e.gateway = ${gateway}`
  return sql`
    from events e where ${IS_PAYMENT} and e.retracted_at is null ${ofGateway} and ${inRange('e.occurred_at', edge)}`
}

/**
 * Count, sum and extremes of payments, of a gateway or of all, and by token.
 * Relies on the primary keys of payment_stats and payment_token_stats, and on events_gateway_newest or
 * events_newest for less than an hour at either end. One statement, so one snapshot.
 *
 * Without times, the answer is a few stored sums, and the statement reads at most 1,001 tokens, because other look-ups wait
 * for it. A gateway with more tokens is asked again, over the pool: 100,000 tokens take some 0.2 s.
 */
export async function readPaymentStats({ database }: Store, filter: StatsFilter): Promise<PaymentStats> {
  const unbounded = filter.startTime === undefined && filter.endTime === undefined
  const cover = coverTime(toTimeRange(filter.startTime, filter.endTime))
  const ofGateway = sql`gateway = ${filter.gateway ?? ''}`
  if (unbounded) {
    const stored = await database.lookUp<StatsRow>(sql`
      ${allPayments([sql`select count, total, min, max, first_at, last_at from payment_stats where ${ofGateway} and span = 0`])}
      union all
      (select nullif(token_mint, ''), count::text, total::text, min::text, max::text, null, null
         from payment_token_stats where ${ofGateway} and span = 0 and count > 0 limit ${raw(String(MOST_TOKENS + 1))})`)
    if (stored.length <= MOST_TOKENS + 1) return toStats(stored)
  }
  const edges = unbounded ? [] : cover.edges.map(edge => edgePayments(filter.gateway, edge))
  const buckets = bucketConditions(cover, unbounded)
  if (buckets.length + edges.length === 0) {
    return { count: 0n, total: 0n, min: null, max: null, firstAt: null, lastAt: null, byToken: [] }
  }
  const parts = [
    ...buckets.map(
      bucket =>
        sql`select count, total, min, max, first_at, last_at from payment_stats where ${ofGateway} and ${bucket}`,
    ),
    ...edges.map(
      edge =>
        sql`select count(*) as count, coalesce(sum(e.amount), 0) as total, min(e.amount) as min, max(e.amount) as max, min(e.occurred_at) as first_at, max(e.occurred_at) as last_at ${edge}`,
    ),
  ]
  const tokenParts = [
    ...buckets.map(
      bucket =>
        sql`select token_mint, count, total, min, max from payment_token_stats where ${ofGateway} and ${bucket}`,
    ),
    ...edges.map(
      edge => sql`
        select coalesce(e.token_mint, '') as token_mint, count(*) as count,
               sum(e.amount) as total, min(e.amount) as min, max(e.amount) as max ${edge}
         group by 1`,
    ),
  ]
  return toStats(
    await database.read<StatsRow>(sql`
    ${allPayments(parts)}
    union all
    select * from (
      with parts as materialized (${join(tokenParts, ' union all ')}), most_paid as materialized (
        select token_mint from parts group by token_mint having sum(count) > 0
         order by sum(count) desc, token_mint limit ${raw(String(MOST_TOKENS))})
      select nullif(token_mint, '') as "tokenMint", ${SUMS}, null::timestamptz, null::timestamptz
        from parts join most_paid using (token_mint)
       group by token_mint
    ) of_tokens`),
  )
}

const allPayments = (parts: readonly Sql[]): Sql => sql`
  select null as "tokenMint", ${SUMS},
         case when bool_and(first_at is not null or count = 0) then min(first_at) end as "firstAt",
         case when bool_and(last_at is not null or count = 0) then max(last_at) end as "lastAt"
    from (${join(parts, ' union all ')}) parts`

function toStats([row, ...tokens]: readonly StatsRow[]): PaymentStats {
  const { firstAt, lastAt } = row!
  const byToken = tokens.map(token => ({ tokenMint: token.tokenMint, ...toSums(token) }))
  const keyOf = ({ tokenMint }: { tokenMint: string | null }) => tokenMint ?? ''
  byToken.sort((a, b) => Number(b.count - a.count) || (keyOf(a) < keyOf(b) ? -1 : 1))
  return { ...toSums(row!), firstAt, lastAt, byToken }
}
