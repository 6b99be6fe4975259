// A gateway's payments by token, standing, amount, time and the beginning of their tracking ID. No index knows all of these, so a
// bounded number of payments is looked at: the newest of the span first.
import type { Store } from '../../core/database/open-store.js'
import { allOf, inline, sql, type Sql } from '../../core/database/sql.js'
import type { EventKey } from '../lists/event-cursor.js'
import { isUsual } from '../lists/event-filter.js'
import { readRecordPage, type RecordPage } from '../lists/read-record-page.js'
import { eventRecordText, type RecordOptions } from '../lists/record-text.js'
import { walkConditions, walkOrder } from '../lists/walk-key.js'
import { FINALITY } from '../../core/tables/detailed-payment.js'
import { LISTS_BEGIN } from '../../core/tables/lists-begin.js'
import { IS_PAYMENT } from '../../core/tables/payment-names.js'

/** Payments that one request looks at for a page, and for sums or an order by amount. */
const SCANNED_FOR_PAGE = 20_000
export const SCANNED_FOR_SUMS = 100_000
/** Tokens of one answer, those with most payments: anybody can make tokens. */
const MOST_TOKENS = 100

export const PAYMENT_STANDINGS = ['finalized', 'confirmed', 'retracted'] as const
export const PAYMENT_ORDERS = ['newest', 'largest', 'smallest'] as const

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
  newest: sql`e.occurred_at desc, e.slot desc, e.event_index desc, e.id desc`,
  largest: sql`e.amount desc, e.occurred_at desc, e.id desc`,
  smallest: sql`e.amount, e.occurred_at desc, e.id desc`,
} as const

/** The newest payments of the gateway in the span. Relies on events_gateway_newest. */
const scanned = (
  gateway: string,
  { startTime, endTime, standing }: PaymentFilter,
  { most, after }: { most: number; after?: EventKey | undefined },
): Sql => sql`
  select e.* from events e
   where ${allOf(walkConditions({ column: 'gateway', value: gateway, beginning: LISTS_BEGIN, startTime, endTime, after }))}
     and ${isUsual(IS_PAYMENT)} ${standing === 'retracted' ? sql`` : sql`and ${isUsual(sql`e.retracted_at is null`)}`}
   ${walkOrder('gateway', ORDERS.newest)} limit ${inline(most)}`

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

interface KeyRow {
  occurredAt: Date
  slot: number
  index: number
  id: string
}

/** Where the check ended, if there may be more after it. */
async function endOfPage(
  { database }: Store,
  gateway: string,
  filter: PaymentFilter,
  after: EventKey | undefined,
): Promise<EventKey | undefined> {
  const [end] = await database.read<KeyRow>(sql`
    select e.occurred_at as "occurredAt", e.slot::float8 as slot, e.event_index::float8 as index, e.id
      from (${scanned(gateway, filter, { most: SCANNED_FOR_PAGE, after })}) e
    offset ${inline(SCANNED_FOR_PAGE - 1)}`)
  return end
}

/**
 * A page of the payments that pass a filter, as the API answers them. In the order of time a page can hold fewer than asked for
 * and still have a next. By amount they are in order among the newest 100,000 of the span.
 */
export async function findMerchantPayments(
  store: Store,
  gateway: string,
  filter: PaymentFilter,
  {
    sort,
    limit,
    offset,
    after,
  }: {
    sort: (typeof PAYMENT_ORDERS)[number]
    limit: number
    offset: number
    after: EventKey | undefined
  },
  tokens: RecordOptions['tokens'],
): Promise<RecordPage & { next: EventKey | undefined }> {
  const isByTime = sort === 'newest'
  const most = isByTime ? SCANNED_FOR_PAGE : SCANNED_FOR_SUMS
  const record = eventRecordText({ tokens, withRetracted: filter.standing === 'retracted' })
  const rows = sql`
    select e.* from (${scanned(gateway, filter, { most, after })}) e
     where ${matches(filter)}
     order by ${ORDERS[sort]} limit ${limit} offset ${BigInt(offset)}`
  const page = await readRecordPage(store.database.read, record, rows)
  if (!isByTime) return { ...page, next: undefined }
  const next = page.count === limit ? page.last : await endOfPage(store, gateway, filter, after)
  return { ...page, next }
}

/** The sums of all payments that pass a filter, among the newest 100,000 of the span. */
export async function sumMerchantPayments(
  { database }: Store,
  gateway: string,
  filter: PaymentFilter,
): Promise<PaymentSums> {
  const rows = await database.read<{
    mint: string | null
    count: string
    total: string
    scanned: string
  }>(sql`
    with scanned as materialized (
      select e.token_mint, e.amount, e.retracted_at, e.commitment, e.slot, e.tracking_id
        from (${scanned(gateway, filter, { most: SCANNED_FOR_SUMS })}) e)
    select s.mint, coalesce(s.count, 0)::text as count, coalesce(s.total, 0)::text as total, l.scanned::text as scanned
      from (select count(*) as scanned from scanned) l
      left join (
        select e.token_mint as mint, count(*) as count, sum(e.amount) as total from scanned e
         where ${matches(filter)}
         group by e.token_mint order by count(*) desc, e.token_mint limit ${inline(MOST_TOKENS)}) s on true`)
  return {
    byToken: rows
      .filter(({ count }) => count !== '0')
      .map(({ mint, count, total }) => ({ tokenMint: mint, count: BigInt(count), total: BigInt(total) })),
    complete: Number(rows[0]?.scanned ?? 0) < SCANNED_FOR_SUMS && rows.length < MOST_TOKENS,
  }
}
