import t from 'tap'
import { makeSigningKeys } from '../gateway-auth/make-signing-keys.js'
import { openApi } from '../open-api.js'
import { keyOf, subscriptionOf, openChain } from '../open-chain.js'
import { signInDirectly } from './sign-in-directly.js'

const DAY = 86_400
/** 2026-11-18T09:06:40Z, a Wednesday. */
const NOW = 1_794_992_800
const keys = makeSigningKeys()
const [alice, bob, usdc, sol] = [keyOf('alice'), keyOf('bob'), keyOf('usdc'), keyOf('sol')]
const settings = { RATE_LIMIT_MAX: '100000', JWT_PRIVATE_KEYS: keys, TOKENS: `${usdc}=USDC:2,${sol}=SOL:1` }
const api = await openApi(t, settings, () => NOW * 1000)
const chain = openChain(api.store)
const { gateway, headers } = await signInDirectly(chain, keys, 'shop')
const get = (path: string) => api.get(`/v1/gateway/${gateway}/merchant/${path}`, { headers })

const yearly = await chain.policy({
  gateway,
  owner: alice,
  mint: usdc,
  memo: '=HYPERLINK("x")',
  at: NOW - 20 * DAY,
  type: subscriptionOf({
    amount: '1000',
    payment_frequency: { Annually: null },
    next_payment_due: String(NOW - 20 * DAY),
  }),
})
await chain.pay(yearly, NOW - 20 * DAY, { amount: 1000 })
const weekly = await chain.policy({
  gateway,
  owner: bob,
  mint: usdc,
  at: NOW - 10 * DAY,
  type: subscriptionOf({
    amount: '700',
    payment_frequency: { Weekly: null },
    next_payment_due: String(NOW - 10 * DAY),
    max_renewals: 4,
  }),
})
await chain.pay(weekly, NOW - 10 * DAY, { amount: 700 })
await chain.pay(weekly, NOW - 3 * DAY, { amount: 700 })
const paused = await chain.policy({
  gateway,
  owner: bob,
  mint: sol,
  at: NOW - 9 * DAY,
  type: subscriptionOf({ amount: '5', next_payment_due: String(NOW - 9 * DAY) }),
})
await chain.change(paused.address, 'Paused', NOW - 2 * DAY)
const once = await chain.policy({
  gateway,
  owner: alice,
  mint: sol,
  at: NOW - DAY,
  type: { OneTime: { amount: '9', due_date: String(NOW + 2 * DAY), expiry_date: null } },
})
const gone = await chain.policy({
  gateway,
  owner: alice,
  mint: sol,
  at: NOW - 15 * DAY,
  type: subscriptionOf(),
})
await chain.remove(gone.address, alice, NOW - 8 * DAY)
await chain.transfer({ gateway, amount: '33', payer: alice, token_mint: sol }, NOW - DAY)
await chain.retract(await chain.pay(weekly, NOW - 100, { amount: 7 }))

// Who may read them: test/access.
t.test('what cannot be answered is refused', async t => {
  t.equal((await get('export/secrets')).status, 400)
  t.equal((await get('upcoming?limit=5000')).status, 200, 'brought into bounds, as in the other lists')
  t.equal((await get('revenue?startTime=2020-01-01&endTime=2026-01-01')).status, 400, 'too many buckets')
  t.equal((await get('revenue?startTime=2026-01-02&endTime=2026-01-01')).status, 400)
})

t.test('policies, newest first, with the names of the chain', async t => {
  const { body } = await get('policies')
  t.equal(body.total, 5)
  t.same(
    body.items.map(({ policyAddress, status }: Record<string, string>) => [policyAddress, status]),
    [
      [once.address, 'Active'],
      [paused.address, 'Paused'],
      [weekly.address, 'Active'],
      [gone.address, 'Deleted'],
      [yearly.address, 'Active'],
    ],
  )
  t.match(body.items[2], {
    family: 'regular',
    variant: 'Subscription',
    amount: '700',
    paymentFrequency: 'Weekly',
    paymentCount: 2,
    totalPaid: '1400',
    lastPaymentAt: NOW - 3 * DAY,
    createdAt: NOW - 10 * DAY,
    wallet: bob,
  })
  t.match(body.items[0], { variant: 'OneTime', amount: '9', paymentFrequency: null, lastPaymentAt: null })
  const page = (await get('policies?limit=1&offset=3')).body
  t.match(page, { items: [{ policyAddress: gone.address }], total: 5 })
})

t.test('revenue, without adding amounts of different tokens', async t => {
  const { body } = await get('revenue?startTime=2026-10-19T09:06:40Z')
  // 1000/12 + 700 × 30.436875/7 = 83.33… + 3043.6875
  t.match(body, { tokenMint: usdc, mrr: '3127', recognizedRevenue: '2400', activeSubscriptionCount: 2 })
  const ofSol = body.byToken.find(({ tokenMint }: { tokenMint: string }) => tokenMint === sol)
  t.match(ofSol, { mrr: '0', recognizedRevenue: '33', paymentCount: 1, activeSubscriptionCount: 0 })
  t.same(body.subscriptions, { active: 2, paused: 1, completed: 0, overdue: 0 })
  t.same(body.churn, { activeAtStart: 0, churned: 0, rate: null })
  const at = (ts: string, series = body.series) => series.find((point: { ts: string }) => point.ts === ts)
  t.match(at('2026-10-29'), { mrr: '83', recognized: '1000' }, 'replayed')
  t.match(at('2026-10-28'), { mrr: '0', recognized: '0' })
  t.match(at('2026-11-15'), { mrr: '3127', recognized: '700' })
  t.equal(at('2026-11-15', ofSol.series).mrr, '0', 'nobody ever paid the one that was active then')
  const weeks = (await get('revenue?bucket=week&startTime=2026-10-19T09:06:40Z')).body.series.map(
    ({ ts }: { ts: string }) => ts,
  )
  t.same(weeks, ['2026-10-19', '2026-10-26', '2026-11-02', '2026-11-09', '2026-11-16'])
  const day = (await get('revenue?startTime=2026-10-29&endTime=2026-10-29')).body
  t.match(
    day,
    { recognizedRevenue: '1000', startTime: '2026-10-29T00:00:00.000Z', endTime: '2026-10-30T00:00:00.000Z' },
    'the whole day',
  )
  t.equal(day.series.length, 1)
  const churn = (await get(`revenue?startTime=2026-11-12&endTime=2026-11-18`)).body.churn
  t.same(churn, { activeAtStart: 2, churned: 0, rate: '0/2' })
})

t.test('upcoming payments end with the last renewal', async t => {
  const dueOn = new Date((NOW + 4 * DAY) * 1000).toISOString().slice(0, 10)
  t.equal((await get(`upcoming?startTime=${dueOn}&endTime=${dueOn}`)).body.total, 1, 'the whole day')
  const { body } = await get('upcoming')
  t.same(
    body.items.map(({ dueAt, policyAddress }: Record<string, unknown>) => [dueAt, policyAddress]),
    [
      [NOW + 2 * DAY, once.address],
      [NOW + 4 * DAY, weekly.address],
      [NOW + 11 * DAY, weekly.address],
    ],
  )
  t.match(body, {
    total: 3,
    complete: true,
    byToken: [
      { tokenMint: sol, totalAmount: '9' },
      { count: 2, totalAmount: '1400' },
    ],
  })
  t.equal((await get('upcoming?limit=1&offset=2')).body.items[0].dueAt, NOW + 11 * DAY)
})

t.test('exports are CSV in which a spreadsheet runs no formula', async t => {
  const payments = await get('export/payments?format=csv')
  t.match(payments.headers, {
    'content-type': 'text/csv; charset=utf-8',
    'content-disposition': `attachment; filename="payments-${gateway}-2026-11-18.csv"`,
  })
  const lines = payments.text.split('\r\n')
  t.match(lines[0], /^signature,slot,timestamp,paymentPolicy,gateway,amount,payer,recipient,recordId,/)
  t.equal(lines.length, 6, 'a header, four valid payments, and the last line break')
  t.match(lines[4], /,1000,.*,"'=HYPERLINK\(""x""\)",confirmed,10,USDC,2,,,,$/)
  t.match(
    lines[0],
    /,finality,amountDecimal,symbol,decimals,gatewayFee,protocolFee,gatewayFeeDecimal,protocolFeeDecimal$/,
  )
  const isFound = lines.some(line => /,33,.*,3\.3,SOL,1,,,,$/.test(line))
  t.ok(isFound, 'amounts of known tokens as people read them')
  const policies = (await get('export/policies?format=csv')).text.split('\r\n')
  t.equal(policies.length, 7)
  t.match(policies[1], new RegExp(`^${once.address},regular,\\d+,OneTime,Active,9,,.*,0\\.9,0,SOL$`))
  t.match(
    (await get('export/subscribers')).text,
    new RegExp(`${bob},2,1400,2026-11-15T[\\d:.]+Z,${usdc},2,active,,14,USDC,false\\r\\n`),
  )
  const [totals, series] = [(await get('export/revenue')).text, (await get('export/series')).text]
  t.match(
    totals,
    new RegExp(
      `^mrr,recognizedRevenue,activeSubscriptionCount,tokenMint,.*\r\n3127,2400,2,${usdc},3,.*,31\\.27,24,USDC\r\n`,
    ),
  )
  t.match(
    series,
    new RegExp(
      `^ts,mrr,recognized,tokenMint,mrrDecimal,recognizedDecimal,symbol\r\n2026-10-29,83,1000,${usdc},0\\.83,10,USDC\r\n`,
    ),
  )
  t.notMatch(`${totals}${series}`, '\r\n\r\n', 'one table a file')
})

t.test('a file of a span holds the span, and its name both days', async t => {
  const nameOf = async (query: string) =>
    String((await get(`export/${query}`)).headers['content-disposition']).split('"')[1]
  const span = 'startTime=2026-11-12&endTime=2026-11-14'
  for (const kind of ['payments', 'revenue', 'series', 'movements'])
    t.equal(await nameOf(`${kind}?${span}`), `${kind}-${gateway}-2026-11-12-2026-11-14.csv`)
  t.equal(await nameOf('cohorts'), `cohorts-${gateway}-2026-11-18.csv`, 'else the day on which it was made')
  const days = (await get(`export/series?${span}`)).text.match(/^2026-\d\d-\d\d/gm)
  t.same([...new Set(days)], ['2026-11-12', '2026-11-13', '2026-11-14'])
  for (const kind of ['policies', 'subscribers', 'cohorts'])
    t.match(await get(`export/${kind}?${span}`), {
      status: 400,
      body: { error: /startTime is for payments/ },
    })
  t.equal((await get(`export/revenue?tokenMint=${usdc}`)).status, 400)
})
