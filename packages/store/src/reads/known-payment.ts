// Facts about a payment beyond its own event: from its policy, its policy's user payment, and its incarnation.
import { sql } from '../database/sql.js'

/** The facts that a reader needs to check a payment; an unknown fact is null. */
export interface KnownPayment {
  recipient: string | null
  payer: string | null
  tokenMint: string | null
  trackingId: string | null
  seq: number | null
  /** smallest token unit, in decimal digits */
  amount: string
}

export type Finality = 'confirmed' | 'finalized'

export interface KnownRow {
  known_recipient: string | null
  known_payer: string | null
  known_mint: string | null
  tracking_id: string | null
  seq: bigint | null
  amount: string | null
  finality: Finality
  retracted: boolean
}

/** Finality is one number plus a mark on the event itself. A retracted event is not final. */
const FINALITY = sql`
  case when e.retracted_at is null
        and (e.commitment = 'finalized' or e.slot <= (select finalized_slot from stream_head))
       then 'finalized' else 'confirmed' end as finality, e.retracted_at is not null as retracted`

/** The columns that `KNOWN_JOINS` found for `e`. */
export const KNOWN_COLUMNS = sql`
  coalesce(e.recipient, incarnation.recipient) as known_recipient, coalesce(e.payer, u.owner) as known_payer,
  coalesce(e.token_mint, p.token_mint, u.token_mint) as known_mint, e.tracking_id, e.seq,
  e.amount::text as amount, ${FINALITY}`

/**
 * A payment belongs to the incarnation of its policy's latest Created event at or before the payment's place. A
 * retracted Created event began no incarnation. One probe of policies, user_payments and events_policy_places for each
 * payment among `e`.
 */
export const KNOWN_JOINS = sql`
  left join policies p on e.amount is not null and p.address = e.payment_policy
  left join user_payments u on u.address = p.user_payment
  left join lateral (
    select c.recipient from events c
     where c.payment_policy = e.payment_policy
       and c.name in ('PaymentPolicyCreated', 'ComposablePolicyCreated') and c.retracted_at is null
       and (c.slot, c.transaction_index, c.event_index) <= (e.slot, e.transaction_index, e.event_index)
     order by c.slot desc, c.transaction_index desc, c.event_index desc, c.id desc
     limit 1
  ) incarnation on e.amount is not null and e.recipient is null`

/** @returns null for an event that is no payment */
export const toKnownPayment = (row: KnownRow): KnownPayment | null =>
  row.amount === null
    ? null
    : {
        recipient: row.known_recipient,
        payer: row.known_payer,
        tokenMint: row.known_mint,
        trackingId: row.tracking_id,
        seq: row.seq === null ? null : Number(row.seq),
        amount: row.amount,
      }
