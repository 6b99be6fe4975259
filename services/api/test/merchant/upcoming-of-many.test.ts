// Anybody can make 10,000 policies of a gateway that are due each second or since 1970, each in a token of its own: the gateway
// waits for its due dates, and nobody else does.
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { openStore } from '@payment-tracking/store'
import { createDatabase } from '@payment-tracking/testkit'
import t from 'tap'
import { readUpcoming } from '../../src/merchant/read-upcoming.js'

const POLICIES = 10_000
const DAY = 86_400n
const TERMS = `{"Subscription":{"amount":"1000","auto_renew":true,"max_renewals":null,"next_payment_due":"1","padding":[],
  "payment_frequency":%s}}`
const SHARE = 32

t.test('the due dates of 10,000 policies are found in turns, and as many as an answer holds', async t => {
  const database = await createDatabase(t)
  const store = openStore({ DATABASE_URL: database.url })
  t.teardown(() => store.close())
  for (const [gateway, frequency] of [
    ['seconds', '{"Custom":1}'],
    ['months', '{"Monthly":null}'],
  ])
    await database.pool.query(
      `insert into policies (address, live, status, gateway, recipient, user_payment, policy_id, policy_type, created_at,
                             updated_at, next_payment_due, token_mint)
       select $3 || ' ' || n, true, 'active', $3, 'r', 'u' || n, n, replace($2, '%s', $4)::json, n, n, n, 'mint ' || n
         from generate_series(1, $1::bigint) n`,
      [POLICIES, TERMS, gateway, frequency],
    )
  for (const [gateway, to, count] of [
    ['seconds', 10n * DAY, POLICIES * SHARE],
    ['months', 181n * DAY, POLICIES * 6],
    ['months', 40_000n * DAY, POLICIES * SHARE],
  ] as const) {
    const delay = monitorEventLoopDelay({ resolution: 5 })
    delay.enable()
    const upcoming = await readUpcoming(store, gateway, { from: 0n, to, limit: 100, offset: 50 })
    delay.disable()
    t.ok(delay.max < 1e9, `the process stood still for ${(delay.max / 1e6).toFixed(0)} ms at most`)
    t.equal(upcoming.total, count)
    t.equal(upcoming.complete, false)
    t.equal(upcoming.byToken.length, POLICIES)
    t.equal(upcoming.byDay.length, POLICIES, 'rows by day are as many as an answer holds')
    const dates = upcoming.items.map(({ dueAt }) => Number(dueAt))
    t.equal(dates.length, 100)
    t.same(
      dates,
      dates.toSorted((a, b) => a - b),
    )
  }
})
