import type { Store } from '../database/open-store.js'
import { sql } from '../database/sql.js'
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
/** The query finds a payment by its block's time, which can differ from the program's time by this much. */
const CLOCK_DIFFERENCE_MS = 86_400_000

export const bucketStart = (seconds: number, size: BucketSize): number =>
  Math.floor((seconds - FIRST_MONDAY) / BUCKET_SECONDS[size]) * BUCKET_SECONDS[size] + FIRST_MONDAY
export const bucketSeconds = (size: BucketSize): number => BUCKET_SECONDS[size]

/**
 * Payments of a gateway by their `data.timestamp` from `from` up to but not including `to` (Unix seconds), including
 * direct payments and executions of composable policies, without retracted payments.
 * Relies on events_gateway_newest over the span, a day wider on both sides, then one probe of policies and
 * user_payments for each policy, bucket and token.
 */
export async function readVolume(
  { database }: Store,
  gateway: string,
  { from, to, size }: { from: number; to: number; size: BucketSize },
): Promise<VolumeBucket[]> {
  const seconds = BUCKET_SECONDS[size]
  const rows = await database.read<Omit<VolumeBucket, 'amount'> & { amount: string }>(sql`
    with paid as (
      select e.payment_policy, e.token_mint,
             floor((e.paid_at - ${FIRST_MONDAY}::numeric) / ${seconds}::numeric) as bucket,
             count(*) as count, sum(e.amount) as amount
        from events e
       where e.gateway = ${gateway} and e.amount is not null and e.retracted_at is null
         and e.occurred_at >= ${asTimestamp(from * 1000 - CLOCK_DIFFERENCE_MS)}
         and e.occurred_at < ${asTimestamp(to * 1000 + CLOCK_DIFFERENCE_MS)}
         and e.paid_at >= ${BigInt(from)} and e.paid_at < ${BigInt(to)}
       group by 1, 2, 3
    )
    select coalesce(b.token_mint, p.token_mint, u.token_mint) as "tokenMint",
           (b.bucket * ${seconds}::numeric + ${FIRST_MONDAY}::numeric)::bigint as start,
           sum(b.count)::bigint as count, sum(b.amount)::text as amount
      from paid b
      left join policies p on p.address = b.payment_policy
      left join user_payments u on u.address = p.user_payment
     group by 1, 2 order by 2, 1`)
  return rows.map(row => ({ ...row, amount: BigInt(row.amount) }))
}
