// The tables and columns whose meaning the laws compare: all that must be adapted when the schema changes. Nothing else
// here names a column, but deliveries and webhooks in told-payments.ts, told-policies.ts and run.ts.

/** Whether `a` is the latest Created of an address, and no Deleted came later. */
const LIVE = `(incarnation_start is not null and (deleted_order is null or incarnation_start > deleted_order)) as live`
/** Slot, transaction and index: an order without the event's id. */
const PLACE = 32

export const COLUMNS = {
  events: `
    select id, position, seq, tracking_id, signature, slot, transaction_index, event_index, name,
           (extract(epoch from occurred_at) * 1000)::bigint as at, payment_policy, record_id, gateway,
           retracted_at is not null as retracted
      from events`,
  policies: `
    select address, live, family, user_payment, gateway, recipient, tracking_id, policy_id, created_at, updated_at,
           payment_count, total_paid, status, next_payment_due, due_at, ends_at, period_start, period_total,
           token_mint
      from policies where incarnation_start is not null`,
  user_payments: `select address, ${LIVE}, owner, token_mint from user_payments where incarnation_start is not null`,
  gateways: `
    select address, ${LIVE}, authority,
           case when left(signer_order, ${PLACE}) >= left(incarnation_start, ${PLACE}) then signer else authority end as signer
      from gateways where incarnation_start is not null`,
  event_counts: `
    select name, span, extract(epoch from start)::bigint as start, count from event_counts where count > 0`,
  payment_stats: `
    select gateway, span, extract(epoch from start)::bigint as start, count, total, min, max,
           (extract(epoch from first_at) * 1000)::bigint as first_at,
           (extract(epoch from last_at) * 1000)::bigint as last_at
      from payment_stats where count > 0`,
  payment_token_stats: `
    select gateway, span, extract(epoch from start)::bigint as start, token_mint, count, total, min, max
      from payment_token_stats where count > 0`,
  conflicts: `select code, count(*) as count from dead_letters where replayed_at is null group by code`,
  trackings: 'select tracking_id, head from trackings',
  head: 'select position from stream_head',
  deliveries: `
    select id, webhook_id, event_id, message_id, type, body, state, attempts_made from deliveries order by id`,
}

export type Table = keyof typeof COLUMNS
export const TABLES = Object.keys(COLUMNS) as Table[]

/** Rows as Postgres writes them: texts, true, false and null. */
export type Row = Readonly<Record<string, string | number | boolean | null>>
