// A gateway's payments by token, standing, amount, time and the beginning of their tracking ID. No index knows all of these, so a
// bounded number of payments is looked at: the newest of the span first.
import { allOf, inline, sql, type Sql, type Store } from '../../core/database/sql.js'
import type { EventKey } from '../cursors.js'
import { readRecordPage, type RecordPage } from '../lists/read-record-page.js'
import { eventRecordText, type RecordOptions } from '../lists/record-text.js'
import { FINALITY } from '../../core/tables/detailed-payment.js'
import { LISTS_BEGIN } from '../../core/tables/lists-begin.js'
import { IS_PAYMENT } from '../../core/tables/payment-names.js'
import { endOfPage, NEWEST, newestPayments, SCANNED_FOR_PAGE, SCANNED_FOR_SUMS } from './newest-payments.js'

/** Tokens of one answer, those with most payments: anybody can make tokens. */
const MOST_TOKENS = 100

export const PAYMENT_STANDINGS = ['finalized', 'confirmed', 'retracted'] as const
export const PAYMENT_ORDERS = ['newest', 'largest', 'smallest'] as const
type PaymentOrder = (typeof PAYMENT_ORDERS)[number]

/** All that is given must hold. */
export interface PaymentFilter {
  tokenMint?: string | undefined
  /** none: finalized and confirmed ones */
  standing?: (typeof PAYMENT_STANDINGS)[number] | undefined
  /** smallest token unit, inclusive */
  minAmount?: bigint | undefined
  maxAmount?: bigint | undefined
  /** how the tracking ID begins */
  trackingId?: string | undefined
  /** inclusive */
  startTime?: Date | undefined
  endTime?: Date | undefined
}

export interface PaymentSums {
  byToken: { tokenMint: string | null; count: bigint; total: bigint }[]
  /** false when there are more payments than were looked at */
  complete: boolean
}

const ORDERS = {
  newest: NEWEST,
  largest: sql`e.amount desc, e.occurred_at desc, e.id desc`,
  smallest: sql`e.amount, e.occurred_at desc, e.id desc`,
} as const

/** Those of the span, before all other conditions. */
const scanned = (
  gateway: string,
  { startTime, endTime, standing }: PaymentFilter,
  page: { most: number; after?: EventKey | undefined },
): Sql =>
  newestPayments(
    gateway,
    standing === 'retracted' ? IS_PAYMENT : sql`${IS_PAYMENT} and e.retracted_at is null`,
    { beginning: LISTS_BEGIN, startTime, endTime, ...page },
  )

/** Of the payments that were looked at, as a condition on `e`. */
function matches({ tokenMint, standing, minAmount, maxAmount, trackingId }: PaymentFilter): Sql {
  const conditions: Sql[] = []
  if (tokenMint !== undefined) conditions.push(sql`e.token_mint = ${tokenMint}`)
  if (standing === 'retracted') conditions.push(sql`e.retracted_at is not null`)
  else if (standing !== undefined) conditions.push(sql`${FINALITY} = ${standing}`)
  if (minAmount !== undefined) conditions.push(sql`e.amount >= ${minAmount.toString()}::numeric`)
  if (maxAmount !== undefined) conditions.push(sql`e.amount <= ${maxAmount.toString()}::numeric`)
  if (trackingId !== undefined) conditions.push(sql`starts_with(e.tracking_id, ${trackingId})`)
  return allOf(conditions)
}

/**
 * A page of the payments that pass a filter, as the API answers them. In the order of time a page can hold fewer than asked for
 * and still have a next. By amount they are in order among the newest 100,000 of the span.
 */
export async function findMerchantPayments(
  store: Store,
  gateway: string,
  filter: PaymentFilter,
  page: { sort: PaymentOrder; limit: number; offset: number; after: EventKey | undefined },
  tokens: RecordOptions['tokens'],
): Promise<RecordPage & { next: EventKey | undefined }> {
  const { sort, limit, offset, after } = page
  const isByTime = sort === 'newest'
  const most = isByTime ? SCANNED_FOR_PAGE : SCANNED_FOR_SUMS
  const record = eventRecordText({ tokens, withRetracted: filter.standing === 'retracted' })
  const payments = scanned(gateway, filter, { most, after })
  const rows = sql`
    select e.* from (${payments}) e
     where ${matches(filter)}
     order by ${ORDERS[sort]} limit ${limit} offset ${BigInt(offset)}`
  const found = await readRecordPage(store.database.read, record, rows)
  if (!isByTime) return { ...found, next: undefined }
  const next = found.count === limit ? found.last : await endOfPage(store, payments)
  return { ...found, next }
}

/** The sums of all payments that pass a filter, among the newest 100,000 of the span. */
export async function sumMerchantPayments(
  { database }: Store,
  gateway: string,
  filter: PaymentFilter,
): Promise<PaymentSums> {
  const rows = await database.read<{
    mint: string | null
    count: bigint
    total: bigint
    scanned: bigint
  }>(sql`
    with scanned as materialized (
      select e.token_mint, e.amount, e.retracted_at, e.commitment, e.slot, e.tracking_id
        from (${scanned(gateway, filter, { most: SCANNED_FOR_SUMS })}) e)
    select s.mint, coalesce(s.count, 0) as count, coalesce(s.total, 0) as total, l.scanned
      from (select count(*) as scanned from scanned) l
      left join (
        select e.token_mint as mint, count(*) as count, sum(e.amount) as total from scanned e
         where ${matches(filter)}
         group by e.token_mint order by count(*) desc, e.token_mint limit ${inline(MOST_TOKENS)}) s on true`)
  return {
    byToken: rows
      .filter(({ count }) => count > 0n)
      .map(({ mint, count, total }) => ({ tokenMint: mint, count, total })),
    complete: Number(rows[0]?.scanned ?? 0) < SCANNED_FOR_SUMS && rows.length < MOST_TOKENS,
  }
}
