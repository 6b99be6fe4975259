import type { CommittedPayment } from '@payment-tracking/contracts'
import type { RunStatement } from '../database/database.js'
import { empty, sql, type Sql } from '../database/sql.js'
import { IS_PAYMENT } from './payment-names.js'

interface PaymentRow extends Omit<CommittedPayment, 'occurredAt' | 'retracted'> {
  occurredAt: Date
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
    select e.id as "eventId", e.position::text as position, e.tracking_id as "trackingId", e.seq::float8 as seq,
           e.signature, e.slot::float8 as slot, e.occurred_at as "occurredAt", e.paid_at::text as "paidAt",
           e.payment_policy as "paymentPolicy", e.gateway, e.amount::text as amount,
           e.record_id::float8 as "recordId", e.recipient, e.payer, e.token_mint as "tokenMint",
           e.retracted_at is not null as retracted
      from events e
     where ${IS_PAYMENT} and ${condition}
     ${tail}`)
  return rows.map(toCommittedPayment)
}

/** Only a retracted payment has the mark: most of the messages to sockets do without. */
const toCommittedPayment = ({ retracted, ...payment }: PaymentRow): CommittedPayment => ({
  ...payment,
  occurredAt: payment.occurredAt.toISOString(),
  ...(retracted ? { retracted: true } : {}),
})
