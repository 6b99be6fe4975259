// The customers of a gateway: their states, the filters by them, the time line of each, and cohorts. All are asked of the same shop,
// so it is one file of more than 300 lines.
import { DEFAULT_PROGRAM_ID } from '@payment-tracking/contracts'
import { createWebhook } from '@payment-tracking/store/admin'
import { notifyDuePolicies, notifyRisks } from '@payment-tracking/store/messages'
import t from 'tap'
import { makeSigningKeys } from '../gateway-auth/make-signing-keys.js'
import { accountOf, nameAccount, see } from '../funds/see-accounts.js'
import { openApi } from '../open-api.js'
import { keyOf, memoOf, subscriptionOf, openChain, type StoredPolicy } from '../open-chain.js'
import { signInDirectly } from './sign-in-directly.js'

const DAY = 86_400
const GRACE = 7_200
/** 2026-11-18T09:06:40Z */
const NOW = 1_794_992_800
const keys = makeSigningKeys()
const api = await openApi(t, { RATE_LIMIT_MAX: '100000', JWT_PRIVATE_KEYS: keys }, () => NOW * 1000)
const chain = openChain(api.store)
const { gateway, headers } = await signInDirectly(chain, keys, 'shop of customers')
const other = await signInDirectly(chain, keys, 'shop beside it')
const get = async (path: string, of = { gateway, headers }) =>
  api.get(`/v1/gateway/${of.gateway}/merchant/${path}`, { headers: of.headers })

interface Item {
  wallet: string
  state: string
}
interface Entry {
  type: string
  at: number
  dueAt: number | null
  policyAddress: string | null
  amount: string | null
  deliveries: { type: string; status: string }[]
}

const mint = keyOf('mint of customers')
const wallet = (name: string): string => keyOf(`customer ${name}`)
const due = (at: number) => subscriptionOf({ next_payment_due: String(at) })
const open = (name: string, type: object, at = NOW - 40 * DAY, more: object = {}) =>
  chain.policy({ gateway, owner: wallet(name), mint, at, type: type as Record<string, unknown>, ...more })
const status = (policy: StoredPolicy, name: string, at: number) => chain.change(policy.address, name, at)
const remove = (policy: StoredPolicy, at: number) => chain.remove(policy.address, policy.owner, at)
const directly = (name: string, to: string, at: number, amount = '33') =>
  chain.transfer(
    { gateway: to, amount, payer: wallet(name), token_mint: mint, memo: memoOf(`direct-${name}`) },
    at,
  )

await createWebhook(api.store, {
  gateway,
  endpointUrl: 'https://shop.example/',
  active: true,
  eventTypes: ['payment.executed', 'payment.retracted', 'subscription.paused', 'subscription.overdue'],
})

const STATES: Record<string, string> = {}
const is = (state: string, name: string) => {
  STATES[wallet(name)] = state
  return name
}
const [overdue, active, ended, unpaid] = [
  await open(is('overdue', 'late'), due(NOW - 40 * DAY), NOW - 41 * DAY, { memo: 'late-order' }),
  await open(is('active', 'regular'), due(NOW - 20 * DAY), NOW - 20 * DAY),
  await open(is('ended', 'left'), due(NOW - 20 * DAY), NOW - 20 * DAY),
  await open(is('never_paid', 'gave up'), due(NOW - DAY), NOW - 3 * DAY),
]
await directly(is('ended', 'passer-by'), gateway, NOW - DAY)
await chain.pay(overdue, NOW - 40 * DAY)
await chain.pay(active, NOW - 20 * DAY)
await chain.pay(ended, NOW - 20 * DAY)
await remove(ended, NOW - 10 * DAY)
await status(unpaid, 'Paused', NOW - 2 * DAY)
await open(is('overdue', 'never came'), due(NOW - GRACE - 1), NOW - DAY)
await open(is('active', 'in the grace time'), due(NOW - GRACE), NOW - DAY)
await open(is('active', 'begins later'), due(NOW + DAY), NOW - DAY)
// What nodes see, and what notifyRisks notes of it: one risk goes on, one is over.
for (const name of [is('at_risk', 'without funds'), is('active', 'who topped up')]) {
  const { owner } = await open(name, due(NOW + DAY), NOW - DAY)
  await nameAccount(api.database.pool, name, owner)
}
const seeBalances = async (balances: Record<string, string>) => {
  const accounts = Object.entries(balances).map(([name, balance]) =>
    accountOf(keyOf(`account of ${name}`), { mint, balance }),
  )
  await see(api.store, accounts)
  await notifyRisks(api.store, { programId: DEFAULT_PROGRAM_ID, limit: 100 })
}
await seeBalances({ 'without funds': '1', 'who topped up': '1' })
await seeBalances({ 'who topped up': '1000000' })
// The clock of this test is not the clock of Postgres.
await api.database.pool.query(
  `update risk_notices set began_at = to_timestamp($1), cleared_at = case when cleared_at is not null then to_timestamp($1 + 60) end`,
  [NOW - 3_600],
)
const expired = { OneTime: { amount: '9', due_date: String(NOW - 9 * DAY), expiry_date: String(NOW - DAY) } }
await open(is('never_paid', 'too late'), expired, NOW - 9 * DAY)
// Who is late with one of two is late.
const both = await open(is('overdue', 'of two minds'), due(NOW - 2 * DAY), NOW - 30 * DAY)
await chain.pay(both, NOW - 29 * DAY)
await open('of two minds', due(NOW + DAY), NOW - DAY)
// A customer of both gateways, who is late with the other.
const shared = await open(is('active', 'of both'), due(NOW + 9 * DAY), NOW - 9 * DAY)
await chain.pay(shared, NOW - 9 * DAY)
const theirs = await open('of both', due(NOW - 5 * DAY), NOW - 8 * DAY, { gateway: other.gateway })
await chain.pay(theirs, NOW - 7 * DAY)
await directly('of both', other.gateway, NOW - DAY, '77')

const walletsOf = (items: Item[]) => items.map(item => item.wallet).sort()
const withState = (state: string) =>
  Object.entries(STATES)
    .filter(([, each]) => each === state)
    .map(([each]) => each)
    .sort()
const pagesOf = async (query: string): Promise<Item[]> => {
  const items: Item[] = []
  let page = await get(`subscribers?${query}&limit=1`)
  for (;;) {
    items.push(...page.body.items)
    const cursor = page.headers['x-next-cursor']
    if (cursor === undefined) return items
    page = await get(`subscribers?cursor=${cursor}`)
  }
}

t.test('each customer is in the first state that applies, and a filter finds all of a state', async t => {
  for (const state of ['overdue', 'at_risk', 'active', 'ended', 'never_paid']) {
    const { body } = await get(`subscribers?state=${state}`)
    t.same(walletsOf(body.items), withState(state), state)
    const areSo = body.items.every((item: Item) => item.state === state)
    t.ok(areSo, state)
    t.equal(body.total, withState(state).length)
    t.same(walletsOf(await pagesOf(`state=${state}`)), withState(state), `${state}, page by page`)
  }
  const paid = (await get('subscribers')).body.items
  const never = (await get('subscribers?neverPaid=true')).body.items
  t.same(walletsOf([...paid, ...never]), Object.keys(STATES).sort(), 'nobody is in both lists, or in none')
  for (const item of [...paid, ...never]) t.equal(item.state, STATES[item.wallet])
  t.equal((await get('subscribers?state=late')).status, 400)
  t.equal((await get('subscribers?state=')).status, 400)
})

t.test('each customer says what it owes next, why it may not come, and whether it only bought', async t => {
  const one = async (name: string) => (await get(`subscribers/${wallet(name)}`)).body
  const risky = await one('without funds')
  t.match(risky.due, {
    dueAt: NOW + DAY,
    tokenMint: mint,
    dueRisk: { state: 'at_risk', cause: 'insufficient_balance' },
  })
  t.match(await one('late'), {
    oneTime: false,
    due: { policyAddress: overdue.address },
  })
  t.match(await one('of two minds'), { due: { dueAt: NOW - 2 * DAY } }, 'the earliest')
  t.match(await one('of both'), { due: { dueAt: NOW + 9 * DAY } }, 'of this gateway')
  t.match(await one('left'), { oneTime: false, due: null })
  t.match(await one('passer-by'), { state: 'ended', oneTime: true, due: null })
  t.match(await one('too late'), { oneTime: true, due: null })
  const { items } = (await get('subscribers?state=at_risk')).body
  t.match(items[0].due, risky.due, 'the same in the list')
})

t.test('all who paid in three more orders', async t => {
  const lists = async (query: string) =>
    (await get(`subscribers?${query}`)).body.items.map((item: Item) => item.wallet)
  const byTime = async (sort: string) => (await pagesOf(`sort=${sort}`)).map(item => item.wallet)
  const all = (await lists('')).toSorted()
  for (const sort of ['newest', 'last_payment']) {
    const inOrder = await byTime(sort)
    t.same(inOrder.toSorted(), all, `${sort}: each once`)
    t.equal(inOrder[0], wallet('passer-by'), 'who paid yesterday')
    t.equal(inOrder.at(-1), wallet('late'), 'who paid 40 days ago')
  }
  t.same((await lists('sort=paid')).toSorted(), all)
  t.equal((await lists('sort=paid&limit=1&offset=1')).length, 1)
  t.same(await lists(`sort=paid&tokenMint=${keyOf('no such mint')}`), [])
  for (const wrong of [
    'sort=paid&state=active',
    'sort=newest&search=x',
    'sort=newest&neverPaid=true',
    'sort=newest&offset=1',
    'sort=newest&cursor=abc',
    'sort=most',
    `tokenMint=${mint}`,
  ])
    t.equal((await get(`subscribers?${wrong}`)).status, 400, wrong)
})

t.test('a search finds a wallet, and who is behind a tracking ID', async t => {
  const found = async (text: string, more = '') =>
    walletsOf((await get(`subscribers?search=${encodeURIComponent(text)}${more}`)).body.items)
  t.same(await found(wallet('late')), [wallet('late')])
  t.same(await found('late-order'), [wallet('late')])
  t.same(await found('direct-passer-by'), [wallet('passer-by')])
  t.same(await found('late-order', '&state=active'), [], 'a filter beside it')
  t.same(await found('nobody'), [])
  t.same(await found(wallet('a stranger')), [])
  t.equal((await get('subscribers?search=')).status, 400)
  await open('of theirs', due(NOW + DAY), NOW - DAY, { gateway: other.gateway, memo: 'theirs-1' })
  t.same(await found('theirs-1'), [], "another gateway's customer")
  await open('regular', due(NOW + DAY), NOW - DAY, { gateway: other.gateway, memo: 'theirs-2' })
  t.same(await found('theirs-2'), [], 'what a customer has with another gateway')
})

const timeline = async (name: string, query = ''): Promise<Entry[]> =>
  (await get(`subscribers/${wallet(name)}${query}`)).body.items
const dated = (entries: Entry[]) => entries.map(({ type, at }) => [type, at])

t.test('a time line has what was paid, what changed, and which due date was missed', async t => {
  const policy = await open('of a story', due(NOW - 100 * DAY), NOW - 101 * DAY)
  await chain.pay(policy, NOW - 100 * DAY, { amount: 1000 })
  // Due again 31 days later, on 2026-09-10: paid two days late.
  const secondDue = Date.UTC(2026, 8, 10, 9, 6, 40) / 1000
  await chain.pay(policy, secondDue + 2 * DAY, { amount: 1000 })
  const thirdDue = Date.UTC(2026, 9, 10, 9, 6, 40) / 1000
  // Paused before the grace time ended, and made active again long after it.
  await status(policy, 'Paused', thirdDue + 60)
  await status(policy, 'Active', thirdDue + 9 * DAY)
  const taken = await chain.pay(policy, thirdDue + 10 * DAY, { amount: 5 })
  await chain.retract(taken)
  const { body } = await get(`subscribers/${wallet('of a story')}`)
  t.match(body, { wallet: wallet('of a story'), state: 'overdue', policyCount: 1, totalPaid: '2000' })
  const [retraction, ...rest] = body.items as Entry[]
  t.match(retraction, { type: 'retracted', amount: '5', policyAddress: policy.address })
  t.same(dated(rest), [
    ['overdue', thirdDue + 9 * DAY],
    ['resumed', thirdDue + 9 * DAY],
    ['paused', thirdDue + 60],
    ['paid', secondDue + 2 * DAY],
    ['overdue', secondDue + GRACE + 1],
    ['paid', NOW - 100 * DAY],
    ['created', NOW - 101 * DAY],
  ])
  t.equal(rest[4]!.dueAt, secondDue)
  for (const limit of [1, 2, 3, 7]) {
    const seen: Entry[] = []
    let page = await get(`subscribers/${wallet('of a story')}?limit=${limit}`)
    for (;;) {
      seen.push(...page.body.items)
      const cursor = page.headers['x-next-cursor']
      if (cursor === undefined) break
      page = await get(`subscribers/${wallet('of a story')}?cursor=${cursor}`)
    }
    t.same(dated(seen), dated(body.items), `the same in pages of ${limit}`)
  }
})

t.test('an end, a completion and a direct payment are no missed due date', async t => {
  t.same(dated(await timeline('left')), [
    ['deleted', NOW - 10 * DAY],
    ['paid', NOW - 20 * DAY],
    ['created', NOW - 20 * DAY],
  ])
  const once = await open(
    'of one payment',
    subscriptionOf({ next_payment_due: String(NOW - 90 * DAY), max_renewals: 1 }),
    NOW - 90 * DAY,
  )
  await chain.pay(once, NOW - 90 * DAY)
  t.same(dated(await timeline('of one payment')), [
    ['paid', NOW - 90 * DAY],
    ['created', NOW - 90 * DAY],
  ])
  const [entry] = await timeline('passer-by')
  t.match(entry, { type: 'paid', policyAddress: null, amount: '33' })
})

t.test('a policy created behind its due date is overdue at once, unless paid in that second', async t => {
  const made = NOW - 5 * DAY
  await open('of late creation', due(NOW - 50 * DAY), made + 0.5)
  const paid = await open('of one second', due(made), made + 0.5)
  await chain.pay(paid, made)
  t.same(dated(await timeline('of late creation')), [
    ['overdue', made],
    ['created', made],
  ])
  t.same(dated(await timeline('of one second')), [
    ['created', made],
    ['paid', made],
  ])
})

t.test('each entry has its deliveries, also for what time did', async t => {
  const policy = await open('of deliveries', due(NOW - 80 * DAY), NOW - 81 * DAY)
  await chain.pay(policy, NOW - 80 * DAY)
  await status(policy, 'Paused', NOW - 79 * DAY)
  await status(policy, 'Active', NOW - 78 * DAY)
  const taken = await chain.pay(policy, NOW - 78 * DAY + 9, { amount: 5 })
  await chain.retract(taken)
  await notifyDuePolicies(api.store, { soonSeconds: 0, graceSeconds: GRACE, limit: 100 })
  const entries = await timeline('of deliveries')
  t.same(
    entries.map(({ type, deliveries }) => [type, deliveries.map(delivery => delivery.type)]),
    [
      ['retracted', ['payment.executed']],
      ['overdue', ['subscription.overdue']],
      ['resumed', []],
      ['paused', ['subscription.paused']],
      ['paid', ['payment.executed']],
      ['created', []],
    ],
  )
  t.match(entries[1]!.deliveries[0], { status: 'pending', attempts: 0, webhookId: Number, finishedAt: null })
})

t.test("another gateway's rows are never in it, not of the same policy either", async t => {
  const entries = await timeline('of both')
  t.same(dated(entries), [
    ['paid', NOW - 9 * DAY],
    ['created', NOW - 9 * DAY],
  ])
  t.ok(entries.every(({ policyAddress }) => policyAddress === shared.address))
  const moved = await open('who moved', due(NOW + DAY), NOW - 60 * DAY, { gateway: other.gateway, id: 77 })
  await chain.pay(moved, NOW - 59 * DAY)
  await status(moved, 'Paused', NOW - 58 * DAY)
  await remove(moved, NOW - 57 * DAY)
  t.equal((await get(`subscribers/${wallet('who moved')}`)).status, 404, 'not a customer yet')
  await open('who moved', due(NOW + DAY), NOW - 50 * DAY, { id: 77 })
  t.same(dated(await timeline('who moved')), [['created', NOW - 50 * DAY]])
  const before = (await get(`subscribers/${wallet('who moved')}`, other)).body.items as Entry[]
  t.same(dated(before), [
    ['deleted', NOW - 57 * DAY],
    ['paused', NOW - 58 * DAY],
    ['paid', NOW - 59 * DAY],
    ['created', NOW - 60 * DAY],
  ])
  t.equal((await get(`subscribers/${wallet('late')}`, { gateway, headers: other.headers })).status, 403)
  t.equal((await get(`subscribers/${wallet('a stranger')}`)).status, 404)
  t.equal((await get('subscribers/nobody')).status, 400)
})

t.test('cohorts tell who paid again in which month', async t => {
  const shop = await signInDirectly(chain, keys, 'shop of cohorts')
  const pay = (name: string, at: string, amount: string, token = mint) =>
    chain.transfer(
      { gateway: shop.gateway, amount, payer: wallet(name), token_mint: token },
      Date.parse(at) / 1000,
    )
  // In any order.
  await pay('a', '2026-10-31T23:59:59Z', '5')
  await pay('a', '2026-08-01T00:00:00Z', '10')
  await pay('a', '2026-08-31T23:59:59Z', '1')
  await pay('b', '2026-08-15T00:00:00Z', '20')
  await pay('c', '2026-09-30T00:00:00Z', '40')
  await pay('c', '2026-10-01T00:00:00Z', '80')
  await pay('c', '2026-10-02T00:00:00Z', '7', keyOf('other token'))
  await chain.retract(await pay('d', '2026-08-01T00:00:00Z', '1000'))
  const { body } = await get('cohorts', shop)
  const month = (monthsSince: number, wallets: number, volume: string) => ({ monthsSince, wallets, volume })
  t.same(body.cohorts, [
    {
      month: '2026-08',
      wallets: 2,
      months: [month(0, 2, '31'), month(1, 0, '0'), month(2, 1, '5'), month(3, 0, '0')],
    },
    { month: '2026-09', wallets: 1, months: [month(0, 1, '40'), month(1, 1, '80'), month(2, 0, '0')] },
  ])
  t.equal(body.tokenMint, mint)
  t.equal(body.complete, true)
  t.match(body.byToken, {
    length: 2,
    1: { tokenMint: keyOf('other token'), cohorts: [{ month: '2026-10' }] },
  })
  const file = await get('export/cohorts', shop)
  t.equal(file.text.split('\r\n')[0], 'cohort,monthsSince,wallets,volume,tokenMint,volumeDecimal,symbol')
  t.equal(file.text.split('\r\n')[3], `2026-08,2,1,5,${mint},,`)
  const states = (await get('export/subscribers')).text.split('\r\n')
  t.equal(
    states[0],
    'wallet,policyCount,totalPaid,lastActiveAt,tokenMint,paymentCount,state,name,totalPaidDecimal,symbol,oneTime',
  )
  t.ok(states.some(line => line.startsWith(`${wallet('late')},`) && line.endsWith(',overdue,,,,false')))
  const movements = (await get('export/movements')).text.split('\r\n')
  t.match(
    movements[0],
    /^ts,mrrAtStart,new,expansion,contraction,churned,reactivated,mrr,tokenMint,mrrAtStartDecimal,/,
  )
  for (const line of movements.slice(1, -1)) {
    const [, start, ...figures] = line.split(',').slice(0, 8).map(Number)
    const summed = figures.slice(0, 5).reduce((sum, each) => sum + each, start!)
    t.equal(summed, figures[5], line)
  }
})
