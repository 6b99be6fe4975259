// Anybody can make subscriptions of a gateway, each with an interval of its own: the gateway waits for its revenue, and nobody
// else does. No statement grows with the subscriptions, and the process answers others meanwhile.
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as giveWay } from 'node:timers/promises'
import { openTestStore } from '@payment-tracking/testkit'
import t from 'tap'
import { readRevenue, type RevenueParts } from '../../src/merchant/read-revenue.js'

const POLICIES = 20_000
const DAYS = 400
const DAY = 86_400
const TERMS = `{"Subscription":{"amount":"1000","auto_renew":true,"max_renewals":null,"next_payment_due":"1","padding":[],
  "payment_frequency":{"Custom":%s}}}`

t.test('the revenue of 20,000 subscriptions is read in pages', async t => {
  const { store, pool } = await openTestStore(t, { statementTimeoutMs: 400 })
  await pool.query(
    `insert into policies (address, live, status, gateway, recipient, user_payment, policy_id, policy_type, created_at,
                           updated_at, next_payment_due, payment_count, token_mint)
     select 'policy ' || n, true, 'active', 'g', 'r', 'u' || n, n, replace($2, '%s', (86401 + n)::text)::json,
            n * ${DAYS * DAY} / $1, n, n, 1, 'mint'
       from generate_series(1, $1::bigint) n`,
    [POLICIES, TERMS],
  )
  await pool.query(
    `insert into events (id, position, slot, signature, event_index, name, data, commitment, occurred_at, fingerprint,
                         stream_sequence, gateway, payment_policy)
     select gen_random_uuid(), n, n, 's' || n, 0, 'PaymentPolicyCreated', '{}', 'confirmed', to_timestamp(n),
            gen_random_uuid(), n, 'g', 'policy ' || n
       from generate_series(1, $1::bigint) n`,
    [POLICIES],
  )
  await pool.query(
    `insert into user_payments (address, owner, token_mint) select 'u' || n, 'wallet ' || n, 'mint' from generate_series(1, $1::bigint) n`,
    [POLICIES],
  )
  await pool.query('analyze')
  const parts = {
    store,
    programId: 'program',
    tokens: new Map() as unknown as RevenueParts['tokens'],
    graceSeconds: 0,
    nowMs: () => 1_000 * DAYS * DAY,
  }
  const delay = monitorEventLoopDelay({ resolution: 5 })
  delay.enable()
  const revenue = await readRevenue(parts, 'g', { from: 0, to: DAYS * DAY, size: 'day' })
  // The last stall shows in a turn of its own.
  await giveWay()
  await giveWay()
  delay.disable()
  t.match(revenue.subscriptions, { active: POLICIES })
  t.equal(revenue.subscribers.at(-1)!.active, POLICIES - 1, 'the last one begins at the end')
  const [token] = revenue.byToken
  t.ok(BigInt(token!.series.at(-1)!.mrr) > 0n)
  // A busy machine alone shows a quarter of a second.
  t.ok(delay.max < 1e9, `the process stood still for ${(delay.max / 1e6).toFixed(0)} ms at most`)
})
