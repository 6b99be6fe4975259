import type { Store } from '../database/open-store.js'
import { empty, sql, type Sql } from '../database/sql.js'
import { IS_PAYMENT } from '../payment-names.js'
import { pageOf } from './event-filter.js'
import {
  KNOWN_COLUMNS,
  toKnownPayment,
  type Finality,
  type KnownPayment,
  type KnownRow,
} from './known-payment.js'
import { toIsoTime } from '../database/pg-codec.js'

export interface StoredOneTimePayment {
  eventId: string
  trackingId: string
  signature: string
  slot: number
  /** time on the chain, ISO 8601 in UTC with milliseconds */
  timestamp: string
  paymentPolicy: string
  gateway: string
  amount: bigint
  recordId: number
  finality: Finality
  /** the finalized chain does not hold its transaction */
  retracted: boolean
  payment: KnownPayment
}

type PaymentRow = KnownRow & Omit<StoredOneTimePayment, keyof KnownRow | 'payment'>

/** Pages up to this size are lookups. */
const LOOKED_UP = 10

export interface OneTimePage {
  recipient?: string | undefined
  /** include payments that the finalized chain does not hold */
  retracted?: boolean | undefined
  /** begins with `and`, on the payment `e` */
  condition?: Sql | undefined
  limit: number
  offset: number
}

/**
 * The payments of a tracking ID, newest first by (time, slot, record id), of every incarnation of their policies.
 * The recipient to filter by is the payment's own or that of its incarnation.
 * Relies on events_tracking_newest (walked backwards, the last column sorted within equal ones).
 */
export async function listOneTimePayments(
  { database }: Store,
  trackingId: string,
  page: OneTimePage,
): Promise<StoredOneTimePayment[]> {
  const { recipient, retracted, condition } = page
  const order = sql`order by e.occurred_at desc, e.slot desc, e.record_id desc, e.id desc`
  // Such a page reads only the rows of its answer. A long answer would delay other lookups.
  const isShort =
    recipient === undefined && condition === undefined && page.offset === 0 && page.limit <= LOOKED_UP
  const ask = isShort ? database.lookUp : database.read
  const rows = await ask<PaymentRow>(sql`
    select e.id as "eventId", e.signature, e.slot::float8 as slot, e.occurred_at::text as timestamp,
           e.payment_policy as "paymentPolicy", e.gateway, e.record_id::float8 as "recordId", ${KNOWN_COLUMNS}
      from events e
     where e.tracking_id = ${trackingId} and ${IS_PAYMENT}
       ${retracted ? empty : sql`and e.retracted_at is null`}
       ${recipient === undefined ? empty : sql`and e.recipient = ${recipient}`} ${condition ?? empty}
     ${order} ${pageOf(page)}`)
  return rows.map(toOneTimePayment)
}

function toOneTimePayment(row: PaymentRow): StoredOneTimePayment {
  return {
    eventId: row.eventId,
    trackingId: row.trackingId!,
    signature: row.signature,
    slot: row.slot,
    timestamp: toIsoTime(row.timestamp),
    paymentPolicy: row.paymentPolicy,
    gateway: row.gateway,
    amount: BigInt(row.amount!),
    recordId: row.recordId,
    finality: row.finality,
    retracted: row.retracted,
    payment: toKnownPayment(row)!,
  }
}
