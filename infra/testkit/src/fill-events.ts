import { createHash } from 'node:crypto'
import type { Pool } from './create-database.js'

const FIRST_SLOT = 400_000_000
const FIRST_TIME_MS = Date.UTC(2026, 0, 1)
/** An event every ten seconds: a million are four months. */
const STEP_MS = 10_000
const [GATEWAYS, RECIPIENTS, AUTHORITIES, MINTS] = [40, 50, 40, 3]
/** From this many events on, the indexes are created after the rows: several times faster than row by row. */
const INDEX_LAST_FROM = 10_000
/** Base58 that is 32 bytes with 44 digits, 64 with 88: the same in SQL and here. */
const KEY_DIGITS = 44
const SIGNATURE_DIGITS = 88
const textOf = (label: string, n: number, digits: number): string =>
  `3${createHash('md5')
    .update(`${label}${n}`)
    .digest('hex')
    .repeat(3)
    .replaceAll('0', 'Z')
    .slice(0, digits - 1)}`
const textInSql = (label: string, n: string, digits: number): string =>
  `'3' || left(replace(repeat(md5('${label}' || (${n})), 3), '0', 'Z'), ${digits - 1})`
/** The signature of a label's n-th event, here and in SQL. */
export const signatureOf = (label: string, n: number): string => textOf(label, n, SIGNATURE_DIGITS)
export const signatureInSql = (label: string, n: string): string => textInSql(label, n, SIGNATURE_DIGITS)
const keyInSql = (label: string, n: string): string => textInSql(label, n, KEY_DIGITS)

const keysOf = (label: string, count: number): string[] =>
  Array.from({ length: count }, (_, n) => textOf(label, n, KEY_DIGITS))

/** Gives a policy, a tracking ID or a user payment about the same number of events for any total. */
const perKey = (count: number) => Math.ceil(count / 100)
const userPaymentsOf = (many: number) => Math.ceil(many / 3)

/** The keys that `fillEvents` uses for this many events, for a database that was filled before. */
export function filledEvents(count: number) {
  const many = perKey(count)
  return {
    gateways: keysOf('gateway', GATEWAYS),
    policies: keysOf('policy', many),
    userPayments: keysOf('user payment', userPaymentsOf(many)),
    recipients: keysOf('recipient', RECIPIENTS),
    authorities: keysOf('authority', AUTHORITIES),
    trackingIds: Array.from({ length: many }, (_, n) => `order-${n}`),
    signatureOf: (n: number) => signatureOf('signature', n),
    /** Of the n-th event; n counts from 1, the oldest. */
    slotOf: (n: number) => FIRST_SLOT + 25 * n,
    timeOf: (n: number) => new Date(FIRST_TIME_MS + n * STEP_MS),
  }
}

export type FilledEvents = ReturnType<typeof filledEvents>

/**
 * Fills an empty database with so many events and what ingest would have made of them: aggregates, policies,
 * user payments, tracking heads, one batch. Of a hundred 85 are payments, 8 create policies, 4 create user
 * payments, 2 change a status, 1 creates a gateway; `data` is about as long as the program's, and that of payments
 * as ingest writes it. Plain SQL: a
 * million events in about half a minute. `seq` ascends within a tracking ID, with holes.
 * @param options `analyze: false` leaves Postgres without statistics
 */
export async function fillEvents(pool: Pool, count: number, { analyze = true }: { analyze?: boolean } = {}) {
  const many = perKey(count)
  const indexes = count < INDEX_LAST_FROM ? [] : await dropIndexes(pool)
  // One statement, so that rows lie in the order of their arrival, like ingest's rows: plans depend on it.
  await pool.query(insertEvents(many), [count, FIRST_SLOT, new Date(FIRST_TIME_MS)])
  await createIndexes(pool, indexes)
  await pool.query(insertPolicies(many))
  await pool.query(insertUserPayments(many))
  if (analyze) await pool.query('analyze policies, user_payments')
  for (const statement of AGGREGATES) await pool.query(statement)
  if (analyze) await analyzeAll(pool)
  return filledEvents(count)
}

/** Statistics as autovacuum makes them. */
export async function analyzeAll(pool: Pool): Promise<void> {
  await pool.query('vacuum analyze')
}

/** Drops the primary key and the indexes of events. @returns the statements that make them again */
async function dropIndexes(pool: Pool): Promise<string[]> {
  const { rows } = await pool.query<{ name: string; definition: string; is_key: boolean }>(
    `select c.relname as name, pg_get_indexdef(i.indexrelid) as definition, i.indisprimary as is_key
       from pg_index i join pg_class c on c.oid = i.indexrelid where i.indrelid = 'events'::regclass`,
  )
  const again: string[] = []
  for (const { name, definition, is_key } of rows) {
    await pool.query(is_key ? `alter table events drop constraint ${name}` : `drop index ${name}`)
    again.push(is_key ? `alter table events add constraint ${name} primary key (id)` : definition)
  }
  return again
}

async function createIndexes(pool: Pool, statements: readonly string[]): Promise<void> {
  const client = await pool.connect()
  try {
    await client.query(`set maintenance_work_mem = '512MB'`)
    for (const statement of statements) await client.query(statement)
  } finally {
    // The connection's settings end with it.
    client.release(true)
  }
}

// `n / 100` shifts each hundred against the last, so that every kind of event meets every key. Within each
// run of `many` events every tracking ID has its turn once, so the run's number can be its `seq`.
const insertEvents = (many: number) => `
  insert into events (id, position, slot, signature, event_index, name, data, occurred_at, fingerprint,
    stream_sequence, gateway, payment_policy, user_payment, authority, recipient, tracking_id, seq, amount, paid_at,
    record_id, memo_zeros, commitment)
  select gen_random_uuid(), n, $2::bigint + 25 * n, signature, 0, name,
         case when name = 'PaymentRecord' then '[${bytesOf('order-')}]'::json else ('{"payment_policy":"' || policy || '","gateway":"' || gateway || '","amount":"' || n * 1000 ||
          '","timestamp":"' || extract(epoch from $3::timestamptz)::bigint + n * 10 || '","memo":[${bytesOf('order-', 64)}],"record_id":' || n % 50 || '}')::json end,
         $3::timestamptz + n * interval '10 seconds', gen_random_uuid(), n,
         case when name <> 'UserPaymentCreated' then gateway end,
         case when name in ('PaymentRecord', 'PaymentPolicyCreated', 'PaymentPolicyStatusChanged') then policy end,
         case when name in ('UserPaymentCreated', 'PaymentPolicyCreated')
              then ${keyInSql('user payment', `(n + n / 100) % ${userPaymentsOf(many)}`)} end,
         case when name = 'PaymentGatewayCreated' then ${keyInSql('authority', `n / 100 % ${AUTHORITIES}`)} end,
         case when name = 'PaymentPolicyCreated'
              then ${keyInSql('recipient', `(n + n / 100) % ${RECIPIENTS}`)} end,
         case when name in ('PaymentRecord', 'PaymentPolicyCreated')
              then 'order-' || (n + n / ${many} * 37) % ${many} end,
         case when name = 'PaymentRecord' then n / ${many} + 1 end,
         case when name = 'PaymentRecord' then n * 1000 end,
         case when name = 'PaymentRecord' then extract(epoch from $3::timestamptz)::bigint + n * 10 end,
         case when name = 'PaymentRecord' then n % 50 end,
         case when name = 'PaymentRecord' then ${64 - 'order-'.length} end,
         'confirmed'
    from (
      select n, case when n % 100 < 85 then 'PaymentRecord' when n % 100 < 93 then 'PaymentPolicyCreated'
                     when n % 100 < 97 then 'UserPaymentCreated'
                     when n % 100 < 99 then 'PaymentPolicyStatusChanged' else 'PaymentGatewayCreated' end as name,
             ${signatureInSql('signature', 'n')} as signature,
             ${keyInSql('gateway', `(n * 7 + n / 100) % ${GATEWAYS}`)} as gateway,
             ${keyInSql('policy', `(n * 11 + n / 100) % ${many}`)} as policy
        from generate_series(1, $1::bigint) n
       offset 0
    ) numbered`

/** A memo of 64 bytes as events carry it. */
const bytesOf = (text: string, length = text.length): string =>
  [...Buffer.alloc(length).fill(text, 0, text.length)].join(',')

/** An order before that of every event. */
const BEFORE_ALL = `repeat('0', 64)`

const insertPolicies = (many: number) => `
  insert into policies (address, user_payment, incarnation_start, gateway, recipient, tracking_id, policy_id, policy_type,
    created_at, payment_count, total_paid, live, status, next_payment_due, due_at, updated_at)
  select ${keyInSql('policy', 'n')}, ${keyInSql('user payment', `n % ${userPaymentsOf(many)}`)}, ${BEFORE_ALL},
         ${keyInSql('gateway', `n % ${GATEWAYS}`)}, ${keyInSql('recipient', `n % ${RECIPIENTS}`)}, 'order-' || n,
         n, '{"Subscription":{"amount":1000,"auto_renew":true,"max_renewals":null,"payment_frequency":{"Monthly":null},"next_payment_due":1769871897}}',
         1769871897 + n, 10, 10000, true, 'active', 1769871897, 1769871897, 1769871897 + n
    from generate_series(0, ${many - 1}) n`

const insertUserPayments = (many: number) => `
  insert into user_payments (address, owner, token_mint, incarnation_start)
  select ${keyInSql('user payment', 'n')}, ${keyInSql('recipient', `n % ${RECIPIENTS}`)},
         ${keyInSql('mint', `n % ${MINTS}`)}, ${BEFORE_ALL}
    from generate_series(0, ${userPaymentsOf(many) - 1}) n`

const HOUR = 3_600
const hourOf = `to_timestamp(floor(extract(epoch from e.occurred_at) / ${HOUR}) * ${HOUR})`
/** Days and all time, made of hours. */
const WIDER = `cross join (values (86400), (0)) s (span) cross join lateral (
    select case s.span when 0 then 'epoch'::timestamptz
      else to_timestamp(floor(extract(epoch from a.start) / s.span) * s.span) end as start) b
  where a.span = ${HOUR}`

/** Of all payments that are stored: what gateways were told of them. Those that are there already stay. */
export const FILL_MESSAGES = `
  insert into messages (id, gateway, position, sequence, type, message_id, event_id, body)
  select position, gateway, position, 0, 'payment.executed', 'msg_' || replace(id::text, '-', '') || '0123456789ab', id, '{"data":{"trackingId":' || coalesce(to_json(tracking_id)::text, 'null') || '}}'
    from events e where amount is not null and not awaits_policy order by position
  on conflict do nothing`

const AGGREGATES = [
  FILL_MESSAGES,
  'update stream_head set position = (select coalesce(max(position), 0) from events)',
  `insert into ingest_batches (first_position, last_position, relayed_at)
     select 1, max(position), now() from events having count(*) > 0`,
  `insert into trackings (tracking_id, head)
     select tracking_id, max(seq) from events where name = 'PaymentRecord' group by 1`,
  `insert into event_counts (gateway, span, name, start, count)
     select '', ${HOUR}, name, ${hourOf}, count(*) from events e group by 3, 4`,
  `insert into event_counts (gateway, span, name, start, count)
     select gateway, ${HOUR}, name, ${hourOf}, count(*) from events e where name = 'PaymentRecord' group by 1, 3, 4`,
  `insert into event_counts (gateway, span, name, start, count)
     select gateway, s.span, name, b.start, sum(count) from event_counts a ${WIDER} group by 1, 2, 3, 4`,
  `insert into payment_token_stats (gateway, span, start, token_mint, count, total, min, max)
     select e.gateway, ${HOUR}, ${hourOf}, coalesce(u.token_mint, ''), count(*), sum(e.amount), min(e.amount), max(e.amount)
       from events e
       left join policies p on p.address = e.payment_policy
       left join user_payments u on u.address = p.user_payment
      where e.name = 'PaymentRecord' group by 1, 3, 4`,
  `insert into payment_token_stats (gateway, span, start, token_mint, count, total, min, max)
     select '', span, start, token_mint, sum(count), sum(total), min(min), max(max) from payment_token_stats group by 2, 3, 4`,
  `insert into payment_token_stats (gateway, span, start, token_mint, count, total, min, max)
     select gateway, s.span, b.start, token_mint, sum(count), sum(total),
            min(min) filter (where s.span > 0), max(max) filter (where s.span > 0)
       from payment_token_stats a ${WIDER} group by 1, 2, 3, 4`,
]
