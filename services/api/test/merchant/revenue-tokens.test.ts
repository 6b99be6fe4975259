// Anybody can make policies of a gateway, each with a token of its own: the gateway's revenue has a bound all the same.
import { DEFAULT_PROGRAM_ID } from '@payment-tracking/contracts'
import { openTestStore } from '@payment-tracking/testkit'
import t from 'tap'
import { makeSigningKeys } from '../gateway-auth/make-signing-keys.js'
import { openApi } from '../open-api.js'
import { keyOf, subscriptionOf, openChain } from '../open-chain.js'
import { signInDirectly } from './sign-in-directly.js'
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
  const { store, pool } = await openTestStore(t)
  // Of the token "mint 7" there are two policies, of every other token one.
  await pool.query(
    `insert into policies (address, live, status, gateway, recipient, user_payment, policy_id, policy_type, created_at,
                           updated_at, next_payment_due, payment_count, token_mint)
     select 'policy ' || n, true, 'active', 'g', 'r', 'u' || n, n, $2::json, n, n, n, 1,
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
  t.equal(whole.byToken.flatMap(({ series }) => series).length, 40_000, 'an answer is written in one turn')
  t.equal(whole.byToken[0]!.tokenMint, 'mint 7')

  const exported = {
    tokens: new Map(),
    payments: {},
    clock: { nowSeconds: 0, graceSeconds: 0, programId: DEFAULT_PROGRAM_ID },
    readRevenue: () => Promise.resolve(whole),
    readCohorts: () => Promise.reject(new Error('not asked for')),
  }
  const [lines, turns] = [[] as string[], { count: 0 }]
  const count = () => {
    turns.count += 1
    timer = setImmediate(count)
  }
  let timer = setImmediate(count)
  for await (const line of await exportLines(store, 'g', 'series', exported)) lines.push(line)
  clearImmediate(timer)
  t.equal(lines.join('').split('\r\n').length, 1 + 40_000 + 1)
  t.ok(turns.count >= 100, 'others get a turn at each token')
  t.ok(lines.length < 1_000, 'and a token is one chunk')
})

const [junk, real, listed, other] = ['junk', 'real', 'listed', 'other'].map(name => keyOf(`${name} token`))

t.test('a policy of 2^64-1 that nobody paid is no revenue, and a junk token is no top currency', async t => {
  const keys = makeSigningKeys()
  const now = 1_795_000_000
  const tokens = `${listed}=LST:6`
  const settings = { RATE_LIMIT_MAX: '100000', JWT_PRIVATE_KEYS: keys, TOKENS: tokens }
  const api = await openApi(t, settings, () => now * 1_000)
  const chain = openChain(api.store)
  const { gateway, headers } = await signInDirectly(chain, keys, 'shop with a stranger')
  const at = now - 10 * DAY
  const type = (amount: string) => subscriptionOf({ amount, next_payment_due: String(now + DAY) })
  const open = (owner: string, mint: string, amount: string, id = 1) =>
    chain.policy({ gateway, owner: keyOf(owner), mint, id, at, type: type(amount) })
  for (const buyer of ['a', 'b']) await chain.pay(await open(buyer, real!, '1000'), at + 5)
  await open('stranger', real!, String(2n ** 64n - 1n))
  for (let id = 1; id <= 4; id++) await chain.pay(await open('stranger', junk!, '9', id), at + 5)
  const ask = async () => (await api.get(`/v1/gateway/${gateway}/merchant/revenue`, { headers })).body
  const revenue = await ask()
  t.match(revenue, { tokenMint: real, mrr: '2000', neverPaid: { subscriptionCount: 1 } })
  t.equal(String(revenue.neverPaid.mrr), String(2n ** 64n - 1n))
  t.equal(revenue.series.at(-1).mrr, '2000', 'nor was it')
  t.equal(revenue.activeSubscriptionCount, 7, 'and it is an active subscription all the same')
  for (const buyer of ['c', 'd', 'e']) await chain.pay(await open(buyer, other!, '5'), at + 5)
  t.equal((await ask()).tokenMint, other, 'most wallets paid in it')
  await chain.pay(await open('f', listed!, '7'), at + 5)
  const { byToken } = await ask()
  const tokenMints = byToken.map(({ tokenMint }: { tokenMint: string }) => tokenMint)
  t.same(tokenMints, [listed, other, real, junk], 'a token of TOKENS comes first')
  const upcoming = (await api.get(`/v1/gateway/${gateway}/merchant/upcoming`, { headers })).body
  t.equal(upcoming.byToken.length, 4)
  t.equal(upcoming.byToken[0].tokenMint, listed, 'in what is due too')
  const overview = (await api.get(`/v1/overview?gateway=${gateway}`)).body
  t.same(overview.byToken, [], 'nothing of today')
})
