import type { Store } from '../database/open-store.js'
import { raw, sql, type Sql } from '../database/sql.js'
import { asTimestamp } from '../reads/as-timestamp.js'

export type BucketSize = 'day' | 'week' | 'month'

/** The payments in one token in one bucket. */
export interface VolumeBucket {
  tokenMint: string | null
  /** Unix seconds at which the bucket begins: a day, a Monday, or the first of a month, in UTC */
  start: bigint
  count: bigint
  amount: bigint
}

const DAY = 86_400
const BUCKET_SECONDS = { day: DAY, week: 7 * DAY }
/** The first Monday of 1970: days and weeks are counted from here. */
const FIRST_MONDAY = 345_600

const monthStart = (seconds: number, months: number): number => {
  const date = new Date(seconds * 1000)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months, 1) / 1000
}

/** The second at which the bucket of a moment begins. */
export const bucketStart = (seconds: number, size: BucketSize): number =>
  size === 'month'
    ? monthStart(seconds, 0)
    : Math.floor((seconds - FIRST_MONDAY) / BUCKET_SECONDS[size]) * BUCKET_SECONDS[size] + FIRST_MONDAY

/** The first second after the bucket that begins at `start`. */
export const bucketEnd = (start: number, size: BucketSize): number =>
  size === 'month' ? monthStart(start, 1) : start + BUCKET_SECONDS[size]

/** `bucketStart` of Unix seconds, in SQL. */
const bucketOf = (at: Sql, size: BucketSize): Sql =>
  size === 'month'
    ? sql`extract(epoch from date_trunc('month', to_timestamp(${at}), 'UTC'))::bigint`
    : sql`(floor((${at} - ${raw(String(FIRST_MONDAY))}) / ${raw(`${BUCKET_SECONDS[size]}.0`)})::bigint
           * ${raw(String(BUCKET_SECONDS[size]))} + ${raw(String(FIRST_MONDAY))})`

/** The index events_paid_other_day has this condition. */
const IS_OTHER_DAY = sql`
  floor(e.paid_at::float8 / 86400) <> floor(date_part('epoch', e.occurred_at at time zone 'UTC') / 86400)`

/** A span of seconds, `to` not included. */
interface Seconds {
  from: number
  to: number
}

const ALL_TIME: { days: Seconds; edges: Seconds[] } = { days: { from: -Infinity, to: Infinity }, edges: [] }

/** Whole days of a span, and what is left at its ends, each within one day. */
function splitDays({ from, to }: Seconds): { days: Seconds; edges: Seconds[] } {
  const days = { from: Math.ceil(from / DAY) * DAY, to: Math.floor(to / DAY) * DAY }
  if (days.from > days.to) return { days: { from, to: from }, edges: [{ from, to }] }
  const edges = [
    { from, to: days.from },
    { from: days.to, to },
  ]
  return { days, edges: edges.filter(edge => edge.from < edge.to) }
}

interface PaidRow {
  token_mint: string | null
  /** Unix seconds: of the payment, of the day, or of the block */
  at: bigint
  block_at: bigint
  count: bigint
  amount: string
}

/**
 * Payments of a gateway by their `data.timestamp` from `from` up to but not including `to` (Unix seconds), including
 * direct payments and executions of composable policies, without retracted payments.
 *
 * Whole days come from payment_token_stats, which counts by the time of the block, and are added up by Postgres. Payments whose own time is on another
 * day are moved; events_paid_other_day finds them. Events are read only at the ends of the span, of one day each, by
 * events_gateway_newest.
 * @param whole all payments of the gateway: those before `from` count in the first bucket, and those from `to` on in the
 *   last. No events are then read but moved payments.
 */
export async function readVolume(
  { database }: Store,
  gateway: string,
  { from, to, size, whole = false }: Seconds & { size: BucketSize; whole?: boolean },
): Promise<VolumeBucket[]> {
  const { days, edges } = whole ? ALL_TIME : splitDays({ from, to })
  const inDays = whole
    ? sql`true`
    : sql`start >= ${asTimestamp(days.from * 1000)} and start < ${asTimestamp(days.to * 1000)}`
  const day = sql`extract(epoch from start)::bigint`
  const ofDay = whole ? sql`least(greatest(${day}, ${BigInt(from)}::bigint), ${BigInt(to - 1)}::bigint)` : day
  const payments = (columns: Sql, which: Sql): Sql => sql`
    select e.token_mint, ${columns}
      from events e
     where e.gateway = ${gateway} and e.amount is not null and e.retracted_at is null and ${which}`
  const [atDays, moved, ...atEdges] = await Promise.all([
    database.read<PaidRow>(sql`
      select nullif(token_mint, '') as token_mint, at, at as block_at, sum(count)::bigint as count,
             sum(total)::text as amount
        from (select token_mint, ${bucketOf(ofDay, size)} as at, count, total from payment_token_stats
               where gateway = ${gateway} and span = ${DAY}::int and ${inDays}) d
       group by token_mint, at`),
    database.read<PaidRow>(
      payments(
        sql`e.paid_at as at, floor(extract(epoch from e.occurred_at))::bigint as block_at, 1::bigint as count,
            e.amount::text as amount`,
        IS_OTHER_DAY,
      ),
    ),
    ...edges.map(edge => {
      const day = Math.floor(edge.from / DAY) * DAY
      // An edge lies within a day, so within a bucket.
      return database.read<PaidRow>(sql`
        ${payments(
          sql`${BigInt(edge.from)}::bigint as at, ${BigInt(edge.from)}::bigint as block_at, count(*) as count,
              sum(e.amount)::text as amount`,
          sql`e.occurred_at >= ${asTimestamp(day * 1000)} and e.occurred_at < ${asTimestamp((day + DAY) * 1000)}
              and e.paid_at >= ${BigInt(edge.from)} and e.paid_at < ${BigInt(edge.to)} and not (${IS_OTHER_DAY})`,
        )}
        group by 1`)
    }),
  ])
  const buckets = new Map<string, VolumeBucket>()
  const add = (tokenMint: string | null, at: number, count: bigint, amount: bigint) => {
    const start = BigInt(bucketStart(whole ? Math.min(Math.max(at, from), to - 1) : at, size))
    const key = `${start} ${tokenMint ?? ''}`
    const bucket = buckets.get(key) ?? { tokenMint, start, count: 0n, amount: 0n }
    buckets.set(key, { ...bucket, count: bucket.count + count, amount: bucket.amount + amount })
  }
  for (const { token_mint: mint, at, count, amount } of [...atDays, ...atEdges.flat()])
    add(mint, Number(at), count, BigInt(amount))
  for (const { token_mint: mint, at, block_at: blockAt, amount } of moved) {
    const [paidAt, counted] = [Number(at), Number(blockAt)]
    if (counted >= days.from && counted < days.to) add(mint, counted, -1n, -BigInt(amount))
    if (whole || (paidAt >= from && paidAt < to)) add(mint, paidAt, 1n, BigInt(amount))
  }
  return [...buckets.values()]
    .filter(({ count }) => count > 0n)
    .sort((a, b) => Number(a.start - b.start) || ((a.tokenMint ?? '') < (b.tokenMint ?? '') ? -1 : 1))
}

/**
 * The first second of a gateway's life: of its first payment or policy; null for a gateway without any.
 * One probe each of payment_stats, policies_gateway_live and policies_gateway_gone; events_paid_other_day is nearly empty.
 */
export async function readLifeStart({ database }: Store, gateway: string): Promise<number | null> {
  const firstPolicy = (live: Sql): Sql => sql`
    (select created_at from policies where gateway = ${gateway} and ${live} order by created_at limit 1)`
  const rows = await database.read<{ first: bigint | null }>(sql`
    select least(
             (select extract(epoch from start)::bigint from payment_stats
               where gateway = ${gateway} and span = ${DAY}::int order by start limit 1),
             (select min(e.paid_at) from events e
               where e.gateway = ${gateway} and e.amount is not null and e.retracted_at is null and ${IS_OTHER_DAY}),
             ${firstPolicy(sql`live`)}, ${firstPolicy(sql`not live`)}) as first`)
  const first = rows[0]?.first ?? null
  return first === null ? null : Number(first)
}
