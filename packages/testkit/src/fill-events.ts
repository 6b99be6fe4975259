import { createHash } from 'node:crypto'
import bs58 from 'bs58'
import type pg from 'pg'

export interface FilledEvents {
  gateways: string[]
  policies: string[]
  userPayments: string[]
  recipients: string[]
  authorities: string[]
  trackingIds: string[]
  signatureOf(n: number): string
  /** the n-th event's slot and time; n counts from 1, the oldest */
  slotOf(n: number): number
  timeOf(n: number): Date
}

const FIRST_SLOT = 400_000_000
const FIRST_TIME_MS = Date.UTC(2026, 0, 1)
/** An event every ten seconds: a million are four months. */
const STEP_MS = 10_000

const keysOf = (label: string, count: number): string[] =>
  Array.from({ length: count }, (_, n) => bs58.encode(createHash('sha256').update(`${label}${n}`).digest()))

/**
 * Fills an empty database with so many events and what ingest would have made of them: aggregates, policies,
 * user payments, one batch. Of a hundred 85 are payments, 8 create policies, 4 create user payments, 2 change
 * a status, 1 creates a gateway. Plain SQL: a million rows in under a minute.
 */
export async function fillEvents(pool: pg.Pool, count: number): Promise<FilledEvents> {
  // So that a policy, a tracking ID or a user payment has about as many events however many there are.
  const many = Math.ceil(count / 100)
  const filled: FilledEvents = {
    gateways: keysOf('gateway', 40),
    policies: keysOf('policy', many),
    userPayments: keysOf('user payment', Math.ceil(many / 3)),
    recipients: keysOf('recipient', 50),
    authorities: keysOf('authority', 40),
    trackingIds: Array.from({ length: many }, (_, n) => `order-${n}`),
    signatureOf: n => `signature-${n}`,
    slotOf: n => FIRST_SLOT + 25 * n,
    timeOf: n => new Date(FIRST_TIME_MS + n * STEP_MS),
  }
  const { gateways, policies, userPayments, recipients, authorities, trackingIds } = filled
  await pool.query(INSERT_EVENTS, [
    count,
    gateways,
    policies,
    userPayments,
    recipients,
    authorities,
    trackingIds,
    FIRST_SLOT,
    new Date(FIRST_TIME_MS),
  ])
  await pool.query(INSERT_POLICIES, [policies, userPayments, gateways, recipients, trackingIds])
  await pool.query(INSERT_USER_PAYMENTS, [userPayments, recipients, authorities])
  for (const statement of AGGREGATES) await pool.query(statement)
  await pool.query('vacuum analyze')
  return filled
}

/** What the n-th of an array is when counting starts over at its end. */
const pick = (array: string, n = 'n') => `(${array})[1 + (${n}) % array_length(${array}, 1)]`

// `n / 100` shifts each hundred against the last, so that every kind of event meets every key.
const INSERT_EVENTS = `
  insert into events (id, position, slot, signature, event_index, name, data, occurred_at, fingerprint,
    stream_sequence, gateway, payment_policy, user_payment, authority, recipient, tracking_id, amount, paid_at,
    record_id)
  select gen_random_uuid(), n, $8::bigint + 25 * n, 'signature-' || n, 0, name,
         json_build_object('amount', (n * 1000)::text, 'record_id', n % 50, 'timestamp', '1769871897'),
         $9::timestamptz + n * interval '10 seconds', gen_random_uuid(), n,
         case when name <> 'UserPaymentCreated' then ${pick('$2::text[]', 'n * 7 + n / 100')} end,
         case when name in ('PaymentRecord', 'PaymentPolicyCreated', 'PaymentPolicyStatusChanged')
              then ${pick('$3::text[]', 'n * 11 + n / 100')} end,
         case when name in ('UserPaymentCreated', 'PaymentPolicyCreated') then ${pick('$4::text[]', 'n + n / 100')} end,
         case when name = 'PaymentGatewayCreated' then ${pick('$6::text[]', 'n / 100')} end,
         case when name = 'PaymentPolicyCreated' then ${pick('$5::text[]', 'n + n / 100')} end,
         case when name in ('PaymentRecord', 'PaymentPolicyCreated') then ${pick('$7::text[]', 'n * 13 + n / 100')} end,
         case when name = 'PaymentRecord' then n * 1000 end,
         case when name = 'PaymentRecord' then 1769871897 + n end,
         case when name = 'PaymentRecord' then n % 50 end
    from (
      select n, case when n % 100 < 85 then 'PaymentRecord' when n % 100 < 93 then 'PaymentPolicyCreated'
                     when n % 100 < 97 then 'UserPaymentCreated'
                     when n % 100 < 99 then 'PaymentPolicyStatusChanged' else 'PaymentGatewayCreated' end as name
        from generate_series(1, $1::bigint) n
    ) numbered`

const INSERT_POLICIES = `
  insert into policies (address, user_payment, life_start, gateway, recipient, tracking_id, policy_id, policy_type,
    created_at, payment_count, total_paid, live, status, next_payment_due, updated_at)
  select address, ${pick('$2::text[]')}, '0001', ${pick('$3::text[]')}, ${pick('$4::text[]')}, ${pick('$5::text[]')},
         n, '{"Subscription":{"amount":1000,"auto_renew":true,"max_renewals":null,"payment_frequency":{"Monthly":null},"next_payment_due":1769871897}}',
         1769871897 + n, 10, 10000, true, 'active', 1769871897, 1769871897 + n
    from unnest($1::text[]) with ordinality as p (address, n)`

const INSERT_USER_PAYMENTS = `
  insert into user_payments (address, owner, token_mint, life_start)
  select address, ${pick('$2::text[]')}, ${pick('$3::text[]')}, '0001'
    from unnest($1::text[]) with ordinality as u (address, n)`

const SPANS = `unnest(array[0, 3600, 86400]) as s (span)
    cross join lateral (select case span when 0 then 'epoch'::timestamptz
      else to_timestamp(floor(extract(epoch from e.occurred_at) / span) * span) end as start) b`

const AGGREGATES = [
  'update stream_head set position = (select coalesce(max(position), 0) from events)',
  `insert into ingest_batches (first_position, last_position, handed_over_at)
     select 1, max(position), now() from events having count(*) > 0`,
  `insert into event_counts (name, span, start, count)
     select name, span, start, count(*) from events e cross join ${SPANS} group by 1, 2, 3`,
  `insert into payment_stats (gateway, span, start, count, total, min, max, first_at, last_at)
     select g.gateway, span, start, count(*), sum(amount), min(amount), max(amount), min(occurred_at), max(occurred_at)
       from events e cross join ${SPANS} cross join lateral (values (e.gateway), ('')) g (gateway)
      where name = 'PaymentRecord' group by 1, 2, 3`,
  `insert into payment_token_stats (gateway, span, start, token_mint, count, total)
     select g.gateway, span, start, coalesce(u.token_mint, ''), count(*), sum(e.amount)
       from events e cross join ${SPANS} cross join lateral (values (e.gateway), ('')) g (gateway)
       left join policies p on p.address = e.payment_policy
       left join user_payments u on u.address = p.user_payment
      where e.name = 'PaymentRecord' group by 1, 2, 3, 4`,
]
