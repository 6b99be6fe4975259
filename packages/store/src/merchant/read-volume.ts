import type { Store } from '../database/open-store.js'
import { sql, type Sql } from '../database/sql.js'
import { asTimestamp } from '../reads/as-timestamp.js'

export type BucketSize = 'day' | 'week'

/** The payments in one token in one bucket. */
export interface VolumeBucket {
  tokenMint: string | null
  /** Unix seconds at which the bucket begins: a day, or a Monday, in UTC */
  start: bigint
  count: bigint
  amount: bigint
}

const BUCKET_SECONDS: Record<BucketSize, number> = { day: 86_400, week: 604_800 }
/** The first Monday of 1970: days and weeks are counted from here. */
const FIRST_MONDAY = 345_600
export const bucketStart = (seconds: number, size: BucketSize): number =>
  Math.floor((seconds - FIRST_MONDAY) / BUCKET_SECONDS[size]) * BUCKET_SECONDS[size] + FIRST_MONDAY
export const bucketSeconds = (size: BucketSize): number => BUCKET_SECONDS[size]

const DAY = 86_400

/** The index events_paid_other_day has this condition. */
const IS_OTHER_DAY = sql`
  floor(e.paid_at::float8 / 86400) <> floor(date_part('epoch', e.occurred_at at time zone 'UTC') / 86400)`

/** A span of seconds, `to` not included. */
interface Seconds {
  from: number
  to: number
}

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
 * Whole days come from payment_token_stats, which counts by the time of the block. Payments whose own time is on another
 * day are moved; events_paid_other_day finds them. Events are read only at the ends of the span, of one day each, by
 * events_gateway_newest.
 */
export async function readVolume(
  { database }: Store,
  gateway: string,
  { from, to, size }: { from: number; to: number; size: BucketSize },
): Promise<VolumeBucket[]> {
  const { days, edges } = splitDays({ from, to })
  const payments = (columns: Sql, which: Sql): Sql => sql`
    select e.token_mint, ${columns}
      from events e
     where e.gateway = ${gateway} and e.amount is not null and e.retracted_at is null and ${which}`
  const [whole, moved, ...atEdges] = await Promise.all([
    database.read<PaidRow>(sql`
      select nullif(token_mint, '') as token_mint, extract(epoch from start)::bigint as at,
             extract(epoch from start)::bigint as block_at, count, total::text as amount
        from payment_token_stats
       where gateway = ${gateway} and span = ${DAY}::int
         and start >= ${asTimestamp(days.from * 1000)} and start < ${asTimestamp(days.to * 1000)}`),
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
    const start = BigInt(bucketStart(at, size))
    const key = `${start} ${tokenMint ?? ''}`
    const bucket = buckets.get(key) ?? { tokenMint, start, count: 0n, amount: 0n }
    buckets.set(key, { ...bucket, count: bucket.count + count, amount: bucket.amount + amount })
  }
  for (const { token_mint: mint, at, count, amount } of [...whole, ...atEdges.flat()])
    add(mint, Number(at), count, BigInt(amount))
  for (const { token_mint: mint, at, block_at: blockAt, amount } of moved) {
    const [paidAt, counted] = [Number(at), Number(blockAt)]
    if (counted >= days.from && counted < days.to) add(mint, counted, -1n, -BigInt(amount))
    if (paidAt >= from && paidAt < to) add(mint, paidAt, 1n, BigInt(amount))
  }
  return [...buckets.values()]
    .filter(({ count }) => count > 0n)
    .sort((a, b) => Number(a.start - b.start) || ((a.tokenMint ?? '') < (b.tokenMint ?? '') ? -1 : 1))
}
