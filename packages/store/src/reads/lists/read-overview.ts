// What a page shows at once: how many payments there are now and were in the last day, and how long they took.
import { ALL_GATEWAYS, HOUR } from '@payment-tracking/domain'
import { asTimestamp, inline, raw, sql, type Store } from '../../core/database/sql.js'
import { IN_USE } from '../../core/tables/head.js'
import { isPaymentOf, PAYMENT_NAMES } from '../../core/tables/payment-names.js'
import { readPaymentStats, type PaymentStats, type TokenStats } from './read-payment-stats.js'
import { readKnownSince } from './read-known-since.js'

const HOUR_MS = HOUR * 1_000
const DAY_MS = 24 * HOUR_MS
const MINUTE_MS = 60_000
/** Hours of the chart, the current one among them. */
const HOURS = 24
/** The newest payments whose times are measured. */
const MEASURED = 200
/** More payments of the last minute are not counted one by one. */
const MOST_COUNTED = 10_000
const MOST_TOKENS = 20

/** Milliseconds; null where nothing was measured. */
export interface Quantiles {
  p50: number | null
  p95: number | null
}

export type TokenSum = Pick<TokenStats, 'tokenMint' | 'count' | 'total'>

export interface Overview {
  /** see `readKnownSince` */
  knownSince: Date | null
  /** payments whose time on the chain is within the last minute */
  lastMinute: { count: number; isComplete: boolean }
  /** the last 24 hours that began, oldest first; hours without a payment are there with 0 */
  hours: { start: Date; count: bigint }[]
  /** sums of these hours, most payments first; the mint is null where it is not known */
  byToken: TokenSum[]
  /** the same span a day earlier, up to the minute of now */
  before: Pick<PaymentStats, 'count' | 'byToken'>
  /** the highest slot that is known to be final; null while nothing follows a chain */
  finalizedSlot: bigint | null
  /** of the newest payments of these hours */
  delays: { measured: number; toStored: Quantiles; toAnnounced: Quantiles }
}

interface HourRow {
  start: Date
  count: string
}

interface TokenRow {
  tokenMint: string | null
  count: string
  total: string
}

interface DelayRow {
  measured: number
  stored_p50: number | null
  stored_p95: number | null
  announced_p50: number | null
  announced_p95: number | null
}

/** Whose payments, or of all gateways. */
interface Scope {
  gateway: string
  firstHourMs: number
}

const inHours = ({ gateway, firstHourMs }: Scope) =>
  sql`${IN_USE} and gateway = ${gateway} and span = ${HOUR}::int and start >= ${asTimestamp(firstHourMs)}`

/** In the order of the index alone: a finer order would have to sort, and then a plan that reads all costs no more. */
const newestSince = (gateway: string, fromMs: number, limit: number) => sql`
  select e.position, e.occurred_at from events e
   where ${isPaymentOf(gateway)} and e.occurred_at >= ${asTimestamp(fromMs)}
   order by e.occurred_at desc limit ${inline(limit)}`

async function readHours({ database }: Store, scope: Scope): Promise<Overview['hours']> {
  const rows = await database.read<HourRow>(sql`
    select start, sum(count)::text as count from event_counts
     where ${inHours(scope)} and name in (${PAYMENT_NAMES}) group by start`)
  const counts = new Map(rows.map(({ start, count }) => [start.getTime(), BigInt(count)]))
  return Array.from({ length: HOURS }, (_, index) => {
    const start = scope.firstHourMs + index * HOUR_MS
    return { start: new Date(start), count: counts.get(start) ?? 0n }
  })
}

async function readTokens(
  { database }: Store,
  scope: Scope,
  listed: readonly string[],
): Promise<Overview['byToken']> {
  const rows = await database.read<TokenRow>(sql`
    select nullif(token_mint, '') as "tokenMint", sum(count)::text as count, sum(total)::text as total
      from payment_token_stats where ${inHours(scope)}
     group by token_mint having sum(count) > 0
     order by token_mint = any(${[...listed]}::text[]) desc, sum(count) desc, token_mint limit ${inline(MOST_TOKENS)}`)
  return rows.map(({ tokenMint, count, total }) => ({
    tokenMint,
    count: BigInt(count),
    total: BigInt(total),
  }))
}

async function readLastMinute(
  { database }: Store,
  gateway: string,
  nowMs: number,
): Promise<Overview['lastMinute']> {
  const [row] = await database.read<{ count: number }>(sql`
    select count(*)::int as count from (${newestSince(gateway, nowMs - MINUTE_MS + 1, MOST_COUNTED)}) newest`)
  const { count } = row!
  return { count, isComplete: count < MOST_COUNTED }
}

const quantile = (share: number, until: string) =>
  sql`percentile_disc(${inline(share)}) within group (order by extract(epoch from ${raw(until)} - e.occurred_at) * 1000)
      filter (where ${raw(until)} is not null)`

/** A clock of the chain that runs ahead of ours would make a time before its beginning. */
const toMs = (value: number | null) => (value === null ? null : Math.max(0, Math.round(value)))

/**
 * How long the newest 200 payments since a time took to be stored, and to be announced. What is not announced counts as it waits.
 * @param options.sinceMs that time
 */
export async function readPaymentDelays(
  { database }: Store,
  { gateway = ALL_GATEWAYS, sinceMs }: { gateway?: string | undefined; sinceMs: number },
): Promise<Overview['delays']> {
  const [row] = await database.read<DelayRow>(sql`
    select count(b.committed_at)::int as measured,
           ${quantile(0.5, 'b.committed_at')}::float8 as stored_p50,
           ${quantile(0.95, 'b.committed_at')}::float8 as stored_p95,
           ${quantile(0.5, 'b.announced_by')}::float8 as announced_p50,
           ${quantile(0.95, 'b.announced_by')}::float8 as announced_p95
      from (${newestSince(gateway, sinceMs, MEASURED)}) e
      left join lateral (
        select last_position, committed_at, coalesce(relayed_at, clock_timestamp()) as announced_by from ingest_batches
         where first_position <= e.position order by first_position desc limit 1
      ) b on b.last_position >= e.position`)
  const { measured, stored_p50, stored_p95, announced_p50, announced_p95 } = row!
  return {
    measured,
    toStored: { p50: toMs(stored_p50), p95: toMs(stored_p95) },
    toAnnounced: { p50: toMs(announced_p50), p95: toMs(announced_p95) },
  }
}

/**
 * The overview of a gateway's payments, or of all.
 * @param listed tokens that come first: a stranger can make payments in any number of others
 * Every part is bounded. Hours and tokens: the primary keys of event_counts and payment_token_stats. The last minute: at most
 * 10,000 payments are counted; where Postgres does not follow the index, it reads up to three times as many. The day before: what
 * `readPaymentStats` reads. The delays: the newest 200 payments by events_newest or events_gateway_newest, and for each one probe
 * of ingest_batches_first_position_key.
 */
export async function readOverview(
  store: Store,
  {
    gateway = ALL_GATEWAYS,
    nowMs,
    listed = [],
  }: { gateway?: string | undefined; nowMs: number; listed?: readonly string[] },
): Promise<Overview> {
  const scope = { gateway, firstHourMs: Math.floor(nowMs / HOUR_MS) * HOUR_MS - (HOURS - 1) * HOUR_MS }
  const [knownSince, lastMinute, hours, byToken, before, head, delays] = await Promise.all([
    readKnownSince(store),
    readLastMinute(store, gateway, nowMs),
    readHours(store, scope),
    readTokens(store, scope, listed),
    readPaymentStats(store, {
      gateway,
      startTime: new Date(scope.firstHourMs - DAY_MS),
      endTime: new Date(Math.floor(nowMs / MINUTE_MS) * MINUTE_MS - DAY_MS - 1),
    }),
    store.database.read<{ slot: string }>(sql`select finalized_slot::text as slot from stream_head`),
    readPaymentDelays(store, { gateway, sinceMs: nowMs - HOUR_MS }),
  ])
  return {
    knownSince,
    lastMinute,
    hours,
    byToken,
    before,
    finalizedSlot: BigInt(head[0]?.slot ?? 0) || null,
    delays,
  }
}
