// The facts of a payment, as stored on its row.
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

/** The facts of an event `e`. */
export const KNOWN_COLUMNS = sql`
  e.recipient as known_recipient, e.payer as known_payer, e.token_mint as known_mint, e.tracking_id, e.seq,
  e.amount::text as amount, ${FINALITY}`

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
