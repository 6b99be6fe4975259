import type { Store } from '../database/open-store.js'
import { empty, sql } from '../database/sql.js'
import { pageOf } from './event-filter.js'
import { toIsoTime } from '../database/pg-codec.js'

export interface StoredOneTimePayment {
  trackingId: string
  signature: string
  slot: number
  /** when it happened on the chain, ISO 8601 in UTC with milliseconds */
  timestamp: string
  paymentPolicy: string
  gateway: string
  amount: bigint
  recordId: number
}

interface PaymentRow {
  tracking_id: string
  signature: string
  slot: bigint
  time: string
  payment_policy: string
  gateway: string
  amount: string
  record_id: bigint
}

/** Pages up to this size are lookups. */
const LOOKED_UP = 10

export interface OneTimePage {
  recipient?: string | undefined
  limit: number
  offset: number
}

/**
 * The life that a payment `e` belongs to: the latest PaymentPolicyCreated of its policy at or before its slot and
 * index (the ids of the two say nothing about which came first). One probe of events_policy_lives a payment.
 */
const LIFE = sql`
  left join lateral (
    select c.recipient from events c
     where c.payment_policy = e.payment_policy and c.name = 'PaymentPolicyCreated'
       and (c.slot, c.event_index) <= (e.slot, e.event_index)
     order by c.slot desc, c.event_index desc, c.id desc
     limit 1
  ) life on e.recipient is null`

/**
 * The payments of a tracking ID, newest first by (time, slot, record id), of every life of their policies.
 * The recipient to filter by is the payment's own or that of its life.
 * Relies on events_tracking_newest (walked backwards, the last column sorted within equal ones).
 */
export async function listOneTimePayments(
  { database }: Store,
  trackingId: string,
  page: OneTimePage,
): Promise<StoredOneTimePayment[]> {
  const { recipient } = page
  const ofRecipient =
    recipient === undefined ? empty : sql`and coalesce(e.recipient, life.recipient) = ${recipient}`
  // Such a page reads only the rows that it answers. A long answer would delay other lookups.
  const isShort = recipient === undefined && page.offset === 0 && page.limit <= LOOKED_UP
  const ask = isShort ? database.lookUp : database.read
  const rows = await ask<PaymentRow>(sql`
    select e.tracking_id, e.signature, e.slot, e.occurred_at::text as time, e.payment_policy, e.gateway,
           e.amount::text as amount, e.record_id
      from events e ${recipient === undefined ? empty : LIFE}
     where e.tracking_id = ${trackingId} and e.name = 'PaymentRecord' ${ofRecipient}
     order by e.occurred_at desc, e.slot desc, e.record_id desc, e.id desc
     ${pageOf(page)}`)
  return rows.map(toOneTimePayment)
}

function toOneTimePayment(row: PaymentRow): StoredOneTimePayment {
  return {
    trackingId: row.tracking_id,
    signature: row.signature,
    slot: Number(row.slot),
    timestamp: toIsoTime(row.time),
    paymentPolicy: row.payment_policy,
    gateway: row.gateway,
    amount: BigInt(row.amount),
    recordId: Number(row.record_id),
  }
}
