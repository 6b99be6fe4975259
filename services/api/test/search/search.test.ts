// One search box: what everybody finds, what a gateway finds of its own, and what nobody finds of another.
import { buildAddress, buildChain } from '@payment-tracking/testkit'
import t from 'tap'
import { addSignedIn, openGatewayApi } from '../gateway-auth/open-gateway-api.js'
import { storeMessages } from '../store-messages.js'

const api = await openGatewayApi(t)
const [shop, other] = [await addSignedIn(api), await addSignedIn(api)]
const { address } = shop.gateway
const MINT = buildAddress('mint')
const chain = buildChain({ seed: 'search', firstSlot: 1_000 })
const gatewayOnChain = await chain.openGateway('Seen On Chain')
const payer = await chain.openUserPayment(MINT)
const policy = await chain.openPolicy(gatewayOnChain, payer, { trackingId: 'plan-9', amount: 5n })
const paid = chain.pay(policy)
const direct = {
  gateway: address,
  tokenMint: MINT,
  amount: 3n,
  payer: buildAddress('buyer'),
  recipient: buildAddress('till'),
}
await storeMessages(
  api,
  gatewayOnChain.created,
  payer.created,
  policy.created,
  paid,
  chain.payDirectly({ ...direct, trackingId: 'order-4711' }),
)
const { body: webhook } = await shop.addWebhook({ description: 'the shop’s orders' })
const { body: expected } = await api.call('POST', `/v1/gateway/${address}/expectations`, {
  token: shop.token,
  body: { trackingId: 'order-5', recipient: direct.recipient, tokenMint: MINT, amount: 9 },
})
const deliveryId = '4711'
await api.database.pool.query(
  `insert into deliveries (id, webhook_id, message_id, type, message) values ($2, $1, 'msg_abc', 'webhook.test', 0)`,
  [webhook.id, deliveryId],
)

interface Hit {
  kind: string
  id: string
}
const ask = (q: string, token?: string) => api.call('GET', `/v1/search?q=${encodeURIComponent(q)}`, { token })
const find = async (q: string, token?: string): Promise<string[]> =>
  (await ask(q, token)).body.map(({ kind, id }: Hit) => `${kind} ${id}`).sort()

const PUBLIC: readonly (readonly [text: string, found: readonly string[]])[] = [
  [paid.signature, [`transaction ${paid.signature}`]],
  [policy.created.signature, [`policy ${policy.address}`]],
  ['plan-9', [`policy ${policy.address}`, 'tracking_id plan-9']],
  ['order-4711', ['tracking_id order-4711']],
  [policy.address, [`policy ${policy.address}`]],
  [payer.owner, [`wallet ${payer.owner}`]],
  [payer.address, [`wallet ${payer.address}`]],
  [policy.recipient, [`wallet ${policy.recipient}`]],
  [direct.payer, [`wallet ${direct.payer}`]],
  [direct.recipient, [`wallet ${direct.recipient}`]],
  [gatewayOnChain.address, [`gateway ${gatewayOnChain.address}`]],
]
const OWN: readonly (readonly [text: string, found: string])[] = [
  [direct.payer, `customer ${direct.payer}`],
  [String(webhook.id), `webhook ${webhook.id}`],
  ['SHOP.example', `webhook ${webhook.id}`],
  ['shop’s orders', `webhook ${webhook.id}`],
  [deliveryId, `delivery ${deliveryId}`],
  ['msg_abc', `delivery ${deliveryId}`],
  [expected.id, `expectation ${expected.id}`],
  ['order-5', `expectation ${expected.id}`],
]

t.test('everybody finds what is public', async t => {
  for (const [text, found] of PUBLIC) t.same(await find(text), found, text)
  for (const text of ['nothing', buildAddress('nobody'), 'plan-', 'PLAN-9', '999999'])
    t.same(await find(text), [], text)
})

t.test('a gateway finds its own besides, and nobody else does', async t => {
  for (const [text, own] of OWN) {
    const publicly = await find(text)
    t.notOk(publicly.includes(own), `${text}: not for everybody`)
    t.same(await find(text, shop.token), [...publicly, own].sort(), text)
    t.notOk((await find(text, other.token)).includes(own), `${text}: not for another gateway`)
  }
  const [hit] = (await ask('msg_abc', shop.token)).body
  t.match(hit, { name: 'webhook.test', webhookId: webhook.id })
  t.equal((await ask('msg_abc', shop.token)).headers['cache-control'], 'private, no-store')
  await api.call('DELETE', `/v1/webhooks/${webhook.id}`, { token: shop.token })
  for (const text of ['shop.example', deliveryId, 'msg_abc'])
    t.same(await find(text, shop.token), [], 'what is deleted is not found')
})

const short = (address: string) => `${address.slice(0, 4)}…${address.slice(-4)}`

t.test('an address is found as pages show it, and inside what people paste', async t => {
  for (const [text, found] of PUBLIC) {
    if (text.length < 32) continue
    t.same(await find(`Who is ${text}? (${text})`), found, `${text} in a sentence`)
    if (text.length > 44) continue
    t.same(await find(` ${short(text)} `), found, short(text))
    t.same(await find(short(text).replace('…', '...')), found, 'typed')
  }
  const customer = `customer ${direct.payer}`
  t.ok((await find(short(direct.payer), shop.token)).includes(customer))
  t.notOk((await find(short(direct.payer))).includes(customer), 'not for everybody')
  t.same(await find(`${policy.address.slice(0, 4)}…zzzz`), [], 'both ends')
  const many = [paid.signature, policy.address, payer.owner, direct.payer]
  t.ok((await ask(many.slice(1).join(' '))).body.length === 3, 'three in one text')
})

t.test('however many addresses begin alike, few are looked at, and none hides an own customer', async t => {
  const { pool } = api.database
  await pool.query(
    `insert into user_payments (address, owner) select 'made ' || n, $1 || lpad(n::text, 36, '1') || $2 from generate_series(1, 1000) n`,
    [direct.payer.slice(0, 4), direct.payer.slice(-4)],
  )
  t.ok((await find(short(direct.payer))).length <= 5)
  t.ok((await find(short(direct.payer), shop.token)).includes(`customer ${direct.payer}`))
  await pool.query(`delete from user_payments where address like 'made %'`)
})

t.test('a gateway finds its expectations by how their tracking IDs and references begin', async t => {
  const make = (trackingId: string, reference?: string) =>
    api.call('POST', `/v1/gateway/${address}/expectations`, {
      token: shop.token,
      body: { trackingId, recipient: direct.recipient, tokenMint: MINT, amount: 9, reference },
    })
  const ids: string[] = []
  for (const trackingId of ['cart', 'cart-1', 'cart-2\u{10ffff}', 'cars', 'carz'])
    ids.push((await make(trackingId)).body.id)
  const carts = ids.slice(0, 3).map(id => `expectation ${id}`)
  t.same(await find('cart', shop.token), carts.toSorted())
  t.same(await find('cart-2', shop.token), [carts[2]])
  t.same(await find('ca', shop.token), [], 'two letters begin too many')
  t.same(await find('Cart', shop.token), [], 'letter by letter')
  t.same(await find('cart', other.token), [])
  const named = await make('of a reference', 'Bestellung 17')
  for (const text of ['Bestellung 17', 'Bes'])
    t.match((await ask(text, shop.token)).body, [{ id: named.body.id, name: 'Bestellung 17' }], text)
  for (const text of ['Be', 'bestellung', 'ellung']) t.same(await find(text, shop.token), [], text)
  t.same(await find('Bestellung', other.token), [], 'not for another gateway')
  t.same(await find('Bestellung'), [], 'nor for everybody')
})

t.test('a gateway finds payments and subscriptions by how their tracking IDs begin', async t => {
  const mine = { ...direct, trackingId: 'menu-1' }
  const [till, user] = [await addSignedIn(api), await chain.openUserPayment(MINT)]
  const own = { ...gatewayOnChain, address }
  const live = await chain.openPolicy(own, user, { trackingId: 'menu-2', amount: 5n })
  const gone = await chain.openPolicy(own, user, { trackingId: 'menu-3', amount: 5n })
  await storeMessages(
    api,
    user.created,
    ...['menu-0', 'menu-1', 'menu-1'].map(trackingId => chain.payDirectly({ ...mine, trackingId })),
    chain.payDirectly({ ...mine, gateway: till.gateway.address, trackingId: 'menu-of another' }),
    ...[live.created, gone.created, chain.pay(live), chain.pay(gone), chain.deletePolicy(gone)],
  )
  const found = [
    `policy ${live.address}`,
    ...['menu-0', 'menu-1', 'menu-2', 'menu-3'].map(each => `tracking_id ${each}`),
  ]
  t.same(await find('menu', shop.token), found.toSorted())
  t.same(await find('menu-1', shop.token), ['tracking_id menu-1'])
  for (const text of ['me', 'Menu', 'enu']) t.same(await find(text, shop.token), [], text)
  t.same(await find('menu', till.token), ['tracking_id menu-of another'], 'another gateway finds its own')
  t.same(await find('menu'), [], 'nobody else finds any')
})

t.test('at most ten of each kind, however often one was paid', async t => {
  const pay = (trackingId: string) => chain.payDirectly({ ...direct, trackingId })
  const often = Array.from({ length: 30 }, () => pay('many-00'))
  await storeMessages(api, ...often, ...Array.from({ length: 12 }, (_, n) => pay(`many-${10 + n}`)))
  const ten = ['00', ...Array.from({ length: 9 }, (_, n) => String(10 + n))]
  const wanted = ten.map(n => `tracking_id many-${n}`)
  t.same(await find('many', shop.token), wanted)
})
