// Anybody can make policies of a gateway, each with a token of its own: the gateway's revenue has a bound all the same.
import { openStore } from '@payment-tracking/store'
import { createDatabase } from '@payment-tracking/testkit'
import t from 'tap'
import { exportLines } from '../../src/merchant/export-lines.js'
import { readRevenue, type RevenueParts } from '../../src/merchant/read-revenue.js'

const POLICIES = 3_000
const DAY = 86_400
const TERMS = {
  amount: '1000',
  auto_renew: true,
  max_renewals: null,
  next_payment_due: '1',
  padding: [],
  payment_frequency: { Monthly: {} },
}

t.test('revenue shows the 1,000 tokens with most payments and subscriptions, and counts all', async t => {
  const database = await createDatabase(t)
  const store = openStore({ DATABASE_URL: database.url })
  t.teardown(() => store.close())
  // Of the token "mint 7" there are two policies, of every other token one.
  await database.pool.query(
    `insert into policies (address, live, status, gateway, recipient, user_payment, policy_id, policy_type, created_at,
                           updated_at, next_payment_due, token_mint)
     select 'policy ' || n, true, 'active', 'g', 'r', 'u' || n, n, $2::json, n, n, n,
            'mint ' || case when n = ${POLICIES} then 7 else n end
       from generate_series(1, $1::int) n`,
    [POLICIES, JSON.stringify({ Subscription: TERMS })],
  )
  const tokens = new Map() as unknown as RevenueParts['tokens']
  const nowMs = () => 1_000 * POLICIES * DAY
  const parts = { store, programId: 'program', tokens, graceSeconds: 0, nowMs }
  const span = { from: (POLICIES - 2) * DAY, to: POLICIES * DAY, size: 'day' as const }
  const revenue = await readRevenue(parts, 'g', span)
  t.equal(revenue.byToken.length, 1_000)
  t.match(revenue.byToken[0], { tokenMint: 'mint 7', activeSubscriptionCount: 2, mrr: /\d/ })
  t.equal(revenue.activeSubscriptionCount, POLICIES, 'those of tokens that are not shown too')

  const life = { from: (POLICIES - 400) * DAY, to: POLICIES * DAY, size: 'day' as const, whole: true }
  const whole = await readRevenue(parts, 'g', life)
  t.equal(whole.byToken.flatMap(({ series }) => series).length, 100_000, 'an answer is written in one turn')
  t.equal(whole.byToken[0]!.tokenMint, 'mint 7')

  const [lines, turns] = [[] as string[], { count: 0 }]
  const count = () => {
    turns.count += 1
    timer = setImmediate(count)
  }
  let timer = setImmediate(count)
  for await (const line of await exportLines(store, 'g', 'revenue', () => Promise.resolve(whole)))
    lines.push(line)
  clearImmediate(timer)
  t.equal(lines.join('').split('\r\n').length, 1 + 250 + 1 + 1 + 100_000 + 1)
  t.ok(turns.count >= 250, 'others get a turn at each token')
  t.ok(lines.length < 1_000, 'and a token is one chunk')
})
