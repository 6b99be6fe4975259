// A gateway's own figures over a million events: how long each takes, and how many rows it reads.
import { createHash } from 'node:crypto'
import { measureOf, percentile, type Bench, type Row } from './bench.js'
import { copyFilled, type FilledDatabase } from './fill.js'
import { startBenchApi } from './start-bench-api.js'

const SMALL_TABLE = 20_000
export const KEY = `ptk_${'k'.repeat(43)}`

/**
 * Gives a gateway a key, and makes its policies what the chain makes: each created once, every twentieth paused and
 * resumed.
 */
export async function makeMerchant({ pool }: Pick<FilledDatabase, 'pool'>, gateway: string): Promise<void> {
  await pool.query(
    `insert into gateways (address, authority, incarnation_start) values ($1, 'wallet', '0001')
     on conflict (address) do update set authority = 'wallet', incarnation_start = '0001', deleted_order = null, signer = null`,
    [gateway],
  )
  await pool.query(
    `insert into api_keys (gateway, name, scopes, hash, hint, created_by, signer_since)
     values ($1, 'bench', '{merchant:read}', $2, 'ptk_', 'wallet', '0001')`,
    [gateway, createHash('sha256').update(KEY).digest('hex')],
  )
  await pool.query(
    `delete from events where name in ('PaymentPolicyCreated', 'PaymentPolicyStatusChanged')
        and (gateway = $1 or payment_policy in (select address from policies where gateway = $1))`,
    [gateway],
  )
  const insert = (name: string, data: string, order: string, where = 'true') =>
    pool.query(
      `insert into events (id, position, slot, signature, event_index, name, data, occurred_at, fingerprint,
                           stream_sequence, gateway, payment_policy, user_payment, commitment)
       select gen_random_uuid(), (select max(position) from events) + row_number() over (), 400000000 + policy_id,
              '3' || left(replace(repeat(md5(address || $2 || $4), 3), '0', 'Z'), 87), 0, $2,
              ($3::jsonb || jsonb_build_object('payment_policy', address, 'user_payment', user_payment, 'recipient',
                 recipient, 'gateway', gateway, 'policy_id', policy_id, 'memo', $5::jsonb))::json, to_timestamp(created_at) + $4::interval,
              gen_random_uuid(), 1, case when $2 = 'PaymentPolicyCreated' then gateway end, address, user_payment,
              'confirmed'
         from policies, (select 1) one where gateway = $1 and ${where}`,
      [gateway, name, data, order, JSON.stringify(Array.from({ length: 64 }, () => 0))],
    )
  const type = `{"Subscription":{"amount":1000,"auto_renew":true,"max_renewals":null,"payment_frequency":{"Monthly":null},"next_payment_due":1769871897}}`
  await insert('PaymentPolicyCreated', `{"policy_type":${type}}`, '0 s')
  for (const [status, order] of [
    ['Paused', '10 days'],
    ['Active', '20 days'],
  ] as const)
    await insert(
      'PaymentPolicyStatusChanged',
      `{"old_status":{"Active":null},"new_status":{"${status}":null}}`,
      order,
      'policy_id / 40 % 20 = 0',
    )
  await pool.query(
    `update policies set status_order = '0002', changed_status = 'Active' where gateway = $1 and policy_id / 40 % 20 = 0`,
    [gateway],
  )
  await pool.query('vacuum analyze events, policies')
}

/** An idle backend reports what it has read within 10 seconds. */
const REPORTED_WITHIN_MS = 11_000

/** Rows that statements of other connections have fetched so far. */
async function rowsRead({ pool }: FilledDatabase): Promise<number> {
  await new Promise(resolve => setTimeout(resolve, REPORTED_WITHIN_MS))
  const { rows } = await pool.query<{ read: string }>(
    `select sum(coalesce(idx_tup_fetch, 0) + seq_tup_read) as read from pg_stat_user_tables
      where relname in ('events', 'policies', 'user_payments', 'payment_token_stats')`,
  )
  return Number(rows[0]!.read)
}

export const bench: Bench = {
  name: 'merchant',
  about: "a gateway's own figures over a million events of 40 gateways, one client",
  async run(context) {
    const count = context.quick ? 2_000 : 1_000_000
    const database = await copyFilled(context, count)
    const gateway = database.filled.gateways[3]!
    await makeMerchant(database, gateway)
    const { ask } = await startBenchApi(context, database.url)
    const base = `/v1/gateway/${gateway}/merchant`
    const end = database.filled.timeOf(count)
    const span = `startTime=${new Date(end.getTime() - 30 * 86_400_000).toISOString()}&endTime=${end.toISOString()}`
    const { rows: owned } = await database.pool.query<{
      policies: number
      payments: number
      wallets: number
    }>(
      `select (select count(*)::int from policies where gateway = $1) as policies,
              (select count(*)::int from events where gateway = $1 and amount is not null) as payments,
              (select count(*)::int from user_payments) as wallets`,
      [gateway],
    )
    const { policies, payments, wallets } = owned[0]!
    const rows: Row[] = []
    for (const [name, path] of Object.entries({
      policies: `${base}/policies`,
      subscribers: `${base}/subscribers`,
      revenue: `${base}/revenue?${span}`,
      'revenue by week': `${base}/revenue?${span}&bucket=week`,
      upcoming: `${base}/upcoming`,
      'customers who are overdue': `${base}/subscribers?state=overdue`,
      cohorts: `${base}/cohorts`,
    })) {
      for (let n = 0; n < (context.quick ? 1 : 50); n++) await ask(path, KEY)
      const before = context.quick ? 0 : await rowsRead(database)
      await ask(path, KEY)
      const read = context.quick ? 0 : (await rowsRead(database)) - before
      // Per policy a few rows, and the payments of two days at the ends of the span; cohorts are of all payments. Each of up to three joins scans a
      // small table whole.
      const all = name === 'cohorts' ? 1.1 * payments : payments / 20
      const most = 100 + 12 * policies + all + (wallets < SMALL_TABLE ? 3 * wallets : 0)
      if (read > most) throw new Error(`${path} reads ${read} rows, more than ${most}`)
      const times: number[] = []
      for (let n = 0; n < (context.quick ? 2 : 200); n++) times.push(await ask(path, KEY))
      rows.push({
        subject: `${name}, ${count.toLocaleString('en')} events (${policies} policies, ${payments.toLocaleString('en')} payments of the gateway; ${read} rows read)`,
        unit: 'ms p50',
        largerIsBetter: false,
        measured: { ...measureOf(times), median: percentile(times, 0.5) },
        note: 'goal: at most 20 ms',
      })
      context.say(`${name}: ${percentile(times, 0.5).toFixed(1)} ms, ${read} rows`)
    }
    return rows
  },
}
