import { DAY } from '@payment-tracking/domain'
import { asTimestamp, sql, type Sql, type Store } from '../../core/database/sql.js'
import { IN_USE } from '../../core/tables/head.js'
import { firstSpan } from '../lists/payment-counts.js'

export type BucketSize = 'day' | 'week' | 'month'

/** The payments in one token. */
export interface TokenVolume {
  tokenMint: string | null
  count: bigint
  amount: bigint
  /** by the second at which a bucket begins: a day, a Monday, or the first of a month, in UTC */
  buckets: Map<number, bigint>
}

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

interface DayRow {
  token_mint: string | null
  /** Unix seconds: of the payment, or of the day */
  at: bigint
  count: bigint
  amount: string
}

interface PaidRow extends DayRow {
  /** Unix seconds, of the block */
  block_at: bigint
}

/** Rows of a statement. A gateway has one for each token and day: each payment can be in a token of its own. */
const DAYS_AT_ONCE = 5_000

/** What was paid in whole days, in pages by (day, token). Relies on the primary key of payment_token_stats. */
async function* readDays(
  database: Store['database'],
  gateway: string,
  days: Seconds | null,
): AsyncGenerator<readonly DayRow[], void> {
  const before = days === null ? sql`true` : sql`start < ${asTimestamp(days.to * 1000)}`
  let after = days === null ? sql`true` : sql`start >= ${asTimestamp(days.from * 1000)}`
  for (;;) {
    const rows = await database.read<DayRow>(sql`
      select nullif(token_mint, '') as token_mint, extract(epoch from start)::bigint as at, count, total::text as amount
        from payment_token_stats
       where ${IN_USE} and gateway = ${gateway} and span = ${DAY}::int and ${after} and ${before}
       order by start, token_mint limit ${DAYS_AT_ONCE}`)
    yield rows
    const last = rows.at(-1)
    if (rows.length < DAYS_AT_ONCE || !last) return
    after = sql`(start, token_mint) > (${asTimestamp(Number(last.at) * 1000)}, ${last.token_mint ?? ''})`
  }
}

/**
 * Payments of a gateway by their `data.timestamp` from `from` up to but not including `to` (Unix seconds), including
 * direct payments and executions of composable policies, without retracted payments.
 *
 * Whole days come from payment_token_stats, which counts by the time of the block. Payments whose own time is on another
 * day are moved; events_paid_other_day finds them. Events are read only at the ends of the span, of one day each, by
 * events_gateway_newest.
 * @param whole all payments of the gateway: those before `from` count in the first bucket, and those from `to` on in the
 *   last. No events are then read but moved payments.
 */
export async function readVolume(
  { database }: Store,
  gateway: string,
  { from, to, size, whole = false }: Seconds & { size: BucketSize; whole?: boolean },
): Promise<TokenVolume[]> {
  const { days, edges } = whole ? ALL_TIME : splitDays({ from, to })
  const payments = (columns: Sql, which: Sql): Sql => sql`
    select e.token_mint, ${columns}
      from events e
     where e.gateway = ${gateway} and e.amount is not null and e.retracted_at is null and ${which}`
  const [moved, ...atEdges] = await Promise.all([
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
  const volumes = new Map<string | null, TokenVolume>()
  const add = (tokenMint: string | null, at: number, count: bigint, amount: bigint) => {
    const start = bucketStart(whole ? Math.min(Math.max(at, from), to - 1) : at, size)
    const volume = volumes.get(tokenMint) ?? {
      tokenMint,
      count: 0n,
      amount: 0n,
      buckets: new Map<number, bigint>(),
    }
    volumes.set(tokenMint, volume)
    volume.count += count
    volume.amount += amount
    volume.buckets.set(start, (volume.buckets.get(start) ?? 0n) + amount)
  }
  const addAll = (rows: readonly DayRow[]) => {
    for (const { token_mint: mint, at, count, amount } of rows) add(mint, Number(at), count, BigInt(amount))
  }
  addAll(atEdges.flat())
  for await (const rows of readDays(database, gateway, whole ? null : days)) addAll(rows)
  for (const { token_mint: mint, at, block_at: blockAt, amount } of moved) {
    const [paidAt, counted] = [Number(at), Number(blockAt)]
    if (counted >= days.from && counted < days.to) add(mint, counted, -1n, -BigInt(amount))
    if (whole || (paidAt >= from && paidAt < to)) add(mint, paidAt, 1n, BigInt(amount))
  }
  return [...volumes.values()].filter(({ count }) => count > 0n)
}

/**
 * The first second of a gateway's life: of its first payment or policy; null for a gateway without any.
 * One probe each of event_counts (by name), policies_gateway_live and policies_gateway_gone; events_paid_other_day is nearly empty.
 */
export async function readLifeStart({ database }: Store, gateway: string): Promise<number | null> {
  const firstPolicy = (live: Sql): Sql => sql`
    (select created_at from policies where gateway = ${gateway} and ${live} order by created_at limit 1)`
  const rows = await database.read<{ first: bigint | null }>(sql`
    select least(
             (select extract(epoch from start)::bigint from (${firstSpan(gateway, DAY, sql`asc`, sql`true`)}) s),
             (select min(e.paid_at) from events e
               where e.gateway = ${gateway} and e.amount is not null and e.retracted_at is null and ${IS_OTHER_DAY}),
             ${firstPolicy(sql`live`)}, ${firstPolicy(sql`not live`)}) as first`)
  const first = rows[0]?.first ?? null
  return first === null ? null : Number(first)
}
