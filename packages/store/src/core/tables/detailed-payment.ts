// The details of a payment, as stored on its row.
import { sql } from '../database/sql.js'

/** The details that a reader needs to check a payment; an unknown detail is null. */
export interface DetailedPayment {
  recipient: string | null
  payer: string | null
  tokenMint: string | null
  trackingId: string | null
  seq: number | null
  /** smallest token unit, in decimal digits */
  amount: string
}

export type Finality = 'confirmed' | 'finalized'

export interface DetailedRow extends Omit<DetailedPayment, 'amount'> {
  amount: string | null
  finality: Finality
  retracted: boolean
}

/** Finality is one number plus a mark on the event itself. A retracted event is not final. */
export const FINALITY = sql`
  case when e.retracted_at is null
        and (e.commitment = 'finalized' or e.slot <= (select finalized_slot from stream_head))
       then 'finalized' else 'confirmed' end`

/** The details of an event `e`. */
export const DETAIL_COLUMNS = sql`
  e.recipient, e.payer, e.token_mint as "tokenMint", e.tracking_id as "trackingId", e.seq::float8 as seq,
  e.amount::text as amount, ${FINALITY} as finality, e.retracted_at is not null as retracted`

/** @returns null for an event that is no payment */
export const toDetailedPayment = (row: DetailedRow): DetailedPayment | null => {
  const { recipient, payer, tokenMint, trackingId, seq, amount } = row
  return amount === null ? null : { recipient, payer, tokenMint, trackingId, seq, amount }
}
