// Gives one address a long history: rows as ingest would have written them, filled by SQL in sets.
import { bodyText } from '@payment-tracking/store/core'
import type { Pool } from './create-database.js'
import { FILL_MESSAGES, signatureInSql, signatureOf } from './fill-events.js'

const HOUR = 3_600
/** An order as ingest writes it, of an event `e`. */
const ORDER = `lpad(to_hex(e.slot), 16, '0') || lpad(to_hex(e.transaction_index), 8, '0') ||
  lpad(to_hex(e.event_index), 8, '0') || replace(e.id::text, '-', '')`
const POSITIONS = 'e.position > $1 and e.position <= $2'

export interface FilledHistory {
  /** the signature and slot of the n-th payment; n counts from 1 */
  signatureOf(n: number): string
  slotOf(n: number): number
}

/**
 * Adds payments to a policy: copies of its only stored payment, each a slot and `stepMs` later, in one period. The policy,
 * its tracking ID and all figures count them. The policy's payments must be valid, and no work may wait.
 */
export async function fillPayments(
  pool: Pool,
  { policy, count, stepMs = 10 }: { policy: string; count: number; stepMs?: number },
): Promise<FilledHistory> {
  const { rows: heads } = await pool.query<{ position: string }>('select position from stream_head')
  const { rows: likes } = await pool.query<{ id: string; slot: string }>(
    'select id, slot from events where payment_policy = $1 and amount is not null order by position desc limit 1',
    [policy],
  )
  const [before, like] = [Number(heads[0]!.position), likes[0]!]
  const label = `payment of ${policy} `
  await pool.query(
    `insert into events (id, position, slot, signature, transaction_index, event_index, name, data, occurred_at,
       fingerprint, stream_sequence, commitment, gateway, payment_policy, user_payment, authority, recipient,
       tracking_id, seq, amount, paid_at, record_id, payer, token_mint, awaits_policy, memo_zeros)
     select gen_random_uuid(), $2::bigint + n, l.slot + n, ${signatureInSql(label, 'n')}, l.transaction_index,
            l.event_index, l.name,
            case when l.memo_zeros is not null then l.data -- the rest is in columns
                 else (l.data::jsonb || jsonb_build_object('record_id', l.record_id + n, 'timestamp', (l.paid_at + n * $4::bigint / 1000)::text))::json end,
            l.occurred_at + n * $4::bigint * interval '1 ms', gen_random_uuid(), l.stream_sequence + n, l.commitment,
            l.gateway, l.payment_policy, l.user_payment, l.authority, l.recipient, l.tracking_id, l.seq + n, l.amount,
            l.paid_at + n * $4::bigint / 1000, l.record_id + n, l.payer, l.token_mint, l.awaits_policy, l.memo_zeros
       from events l, generate_series(1, $3::bigint) n where l.id = $1`,
    [like.id, before, count, stepMs],
  )
  const added = [before, before + count]
  await pool.query(
    `update policies p set payment_count = p.payment_count + s.count, total_paid = p.total_paid + s.total,
            period_total = p.period_total + s.total, last_payment_order = l.last_order, last_paid_at = l.paid_at
       from (select count(*) as count, sum(e.amount) as total from events e where ${POSITIONS}) s,
            (select ${ORDER} as last_order, e.paid_at from events e where e.position = $2) l
      where p.address = $3 and p.incarnation_start is not null`,
    [...added, policy],
  )
  await pool.query(
    `update policies p set last_payment_order = ${ORDER}, last_paid_at = e.paid_at from events e
      where e.position = $1 and p.address = e.payment_policy and p.incarnation_start is null`,
    [before + count],
  )
  await pool.query(
    `update trackings t set head = e.seq from events e where e.position = $1 and t.tracking_id = e.tracking_id`,
    [before + count],
  )
  for (const statement of FIGURES) await pool.query(statement, added)
  await pool.query(FILL_MESSAGES)
  await pool.query('update stream_head set position = $1', [before + count])
  await pool.query(
    `insert into ingest_batches (first_position, last_position, relayed_at) values ($1, $2, now())`,
    [before + 1, before + count],
  )
  return { signatureOf: n => signatureOf(label, n), slotOf: n => Number(like.slot) + n }
}

const START = `case s.span when 0 then 'epoch'::timestamptz
  else to_timestamp(floor(extract(epoch from e.occurred_at) / s.span) * s.span) end`
const SPANS = `cross join (values (0), (86400), (${HOUR})) s (span)`
const OF_ALL = `cross join lateral (values (e.gateway), ('')) g (gateway)`
const SUMS = `count(*), sum(e.amount), min(e.amount) filter (where s.span > 0), max(e.amount) filter (where s.span > 0)`
const ADDED = `count = f.count + excluded.count, total = f.total + excluded.total, min = least(f.min, excluded.min),
  max = greatest(f.max, excluded.max)`

const FIGURES = [
  `insert into event_counts as f (gateway, span, name, start, count)
   select g.gateway, s.span, e.name, ${START}, count(*) from events e ${SPANS} ${OF_ALL} where ${POSITIONS} group by 1, 2, 3, 4
   on conflict (version, gateway, span, name, start) do update set count = f.count + excluded.count`,
  `insert into payment_token_stats as f (gateway, span, start, token_mint, count, total, min, max)
   select g.gateway, s.span, ${START}, coalesce(e.token_mint, ''), ${SUMS}
     from events e ${SPANS} ${OF_ALL} where ${POSITIONS} group by 1, 2, 3, 4
   on conflict (version, gateway, span, start, token_mint) do update set ${ADDED}`,
]

/** Lets the latest payments of a policy wait for a webhook, until they are final or their details are known. */
export async function fillWaiting(
  pool: Pool,
  { webhook, policy, count, waitsFor }: { webhook: string; policy: string; count: number; waitsFor: string },
): Promise<void> {
  await pool.query(
    `insert into waiting_messages (webhook_id, message_id, event_id, policy, slot, type, waits_for)
     select $1, e.id::text, e.id, e.payment_policy, e.slot, 'payment.executed', $4 from events e
      where e.payment_policy = $2 and e.amount is not null order by e.position desc limit $3`,
    [webhook, policy, count, waitsFor],
  )
}

/** The deliveries with their message ids and bodies, as a table for the statements of tests. */
export const SENT = `(
  select d.id, d.webhook_id, d.event_id, d.type, d.activation, d.state, d.attempts_made, d.defer_reason, m.message_id,
         ${bodyText('m')} as body
    from deliveries d join messages m on m.id = d.message)`

/** Lets deliveries of a policy's first payments wait for webhooks, each due in an hour. */
export async function fillDeliveries(
  pool: Pool,
  { webhooks, policy, count }: { webhooks: readonly string[]; policy: string; count: number },
): Promise<void> {
  await pool.query(
    `insert into deliveries (webhook_id, event_id, type, message, due_at)
     select w.id, m.event_id, m.type, m.id, now() + interval '1 hour'
       from unnest($1::bigint[]) as w (id),
            (select m.* from events e join messages m on m.id = e.position
              where e.payment_policy = $2 and e.amount is not null
              order by e.position limit $3) m`,
    [webhooks, policy, count],
  )
}
