import type { CommittedPayment } from '@payment-tracking/contracts'
import type { RunStatement } from './database/database.js'
import { empty, sql, type Sql } from './database/sql.js'

interface PaymentRow {
  event_id: string
  position: bigint
  tracking_id: string | null
  seq: bigint | null
  signature: string
  slot: bigint
  occurred_at: Date
  paid_at: string
  payment_policy: string
  gateway: string
  amount: string
  record_id: bigint
  recipient: string | null
  payer: string | null
  token_mint: string | null
  retracted: boolean
}

/**
 * Payments for sockets and webhooks.
 * @param condition on `e` (the events row); relies on an index that the caller chooses
 * @param tail `order by` and `limit`
 */
export async function readCommittedPayments(
  run: RunStatement,
  condition: Sql,
  tail = empty,
): Promise<CommittedPayment[]> {
  const rows = await run<PaymentRow>(sql`
    select e.id as event_id, e.position, e.tracking_id, e.seq, e.signature, e.slot, e.occurred_at,
           e.paid_at::text as paid_at, e.payment_policy, e.gateway, e.amount::text as amount, e.record_id,
           e.recipient, e.payer, e.token_mint,
           e.retracted_at is not null as retracted
      from events e
     where e.name in ('PaymentRecord', 'ComposableExecuted') and ${condition}
     ${tail}`)
  return rows.map(toCommittedPayment)
}

function toCommittedPayment(row: PaymentRow): CommittedPayment {
  return {
    eventId: row.event_id,
    position: row.position.toString(),
    trackingId: row.tracking_id,
    seq: row.seq === null ? null : Number(row.seq),
    signature: row.signature,
    slot: Number(row.slot),
    occurredAt: row.occurred_at.toISOString(),
    paidAt: row.paid_at,
    paymentPolicy: row.payment_policy,
    gateway: row.gateway,
    amount: row.amount,
    recordId: Number(row.record_id),
    recipient: row.recipient,
    payer: row.payer,
    tokenMint: row.token_mint,
    ...(row.retracted ? { retracted: true } : {}),
  }
}
