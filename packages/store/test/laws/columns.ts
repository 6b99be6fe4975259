// The tables and columns whose meaning the laws compare, beside those of the oracle. Nothing else here names a column, but
// deliveries and webhooks in sent-payments.ts, sent-policies.ts and run.ts.
import { SENT } from '@payment-tracking/testkit'
import { PROJECTIONS } from '@payment-tracking/testkit/oracle'

export const COLUMNS = {
  events: `
    select id, position, seq, tracking_id, signature, slot, transaction_index, event_index, name,
           (extract(epoch from occurred_at) * 1000)::bigint as at, payment_policy, record_id, gateway,
           retracted_at is not null as retracted
      from events`,
  ...PROJECTIONS,
  conflicts: `select code, count(*) as count from dead_letters where replayed_at is null group by code`,
  trackings: 'select tracking_id, head from trackings',
  head: 'select position from stream_head',
  expectations: `
    select x.id, x.gateway, x.tracking_id, x.recipient, x.token_mint, x.paid_amount, x.in_time_amount, x.payment_count,
           x.final_paid_amount, x.final_in_time_amount, x.final_payment_count, x.state, x.final_state, x.counting, x.changes,
           x.final_changes, c.paid, c.paid_final
      from expectations x cross join lateral (
        select coalesce(sum(e.amount), 0) as paid, coalesce(sum(e.amount) filter (where p.final), 0) as paid_final
          from expected_payments p join events e on e.id = p.event_id where p.expectation_id = x.id) c`,
  expectation_counts: 'select gateway, sum(open) as open from expectation_counts group by gateway',
  deliveries: `
    select id, webhook_id, event_id, message_id, type, body, state, attempts_made from ${SENT} d order by id`,
}

export type Table = keyof typeof COLUMNS
export const TABLES = Object.keys(COLUMNS) as Table[]
