// Each call of the incumbent's clients, exactly as they send it, with the fields they read.
import t from 'tap'
import { makeCheckoutKey } from './checkout/make-checkout-keys.js'
import { openVerifier } from './checkout/published-verifier.js'
import { makeWallet, openGatewayApi } from './gateway-auth/open-gateway-api.js'
import { keyOf, signatureOf, subscriptionOf, tellChain } from './tell-chain.js'

const NOW = Math.floor(Date.now() / 1000)
const api = await openGatewayApi(t, {
  settings: { CHECKOUT_TOKEN_KEYS: JSON.stringify([makeCheckoutKey()]) },
})
const chain = tellChain(api.store)
const shop = await api.addGateway()
const wallet = makeWallet().publicKey
const policy = await chain.policy({
  gateway: shop.address,
  owner: wallet,
  memo: 'order-1',
  at: NOW - 50,
  type: subscriptionOf({ next_payment_due: String(NOW - 50) }),
})

t.test('the checkout asks again until it finds the payment, then verifies', async t => {
  const ask = () =>
    api.call('POST', '/v1/tokens/issue', {
      body: {
        walletPublicKey: wallet,
        recipient: keyOf('fresh shop'),
        tokenMint: policy.mint,
        trackingId: 'fresh',
      },
    })
  t.equal((await ask()).status, 404)
  const fresh = await chain.policy({
    gateway: shop.address,
    owner: wallet,
    recipient: keyOf('fresh shop'),
    memo: 'fresh',
    at: NOW,
    type: subscriptionOf({ next_payment_due: String(NOW) }),
  })
  await chain.pay(fresh, NOW)
  const { status, body } = await ask()
  t.equal(status, 200)
  t.match(body, { token: String, expiresAt: Number })
  t.ok(body.expiresAt < 10 ** 11, 'in seconds')
  const verifier = openVerifier(await api.apps[0]!.listen({ port: 0, host: '127.0.0.1' }))
  const expected = { wallet, recipient: keyOf('fresh shop'), memo: 'fresh' }
  t.ok(await verifier.verifyPayment(body.token, expected))
  t.ok(await verifier.verifySubscription(body.token, expected))
  t.ok(await verifier.verifyPolicy(body.token, { ...expected, variant: 'subscription' }))
})

t.test('a hook asks once by tracking ID, and shows the error', async t => {
  const body = { trackingId: 'nobody', recipient: policy.recipient }
  t.match(await api.call('POST', '/v1/tokens/issue', { body }), { status: 404, body: { error: String } })
})

t.test("the gateway's app signs in and reads its screens", async t => {
  const challenge = await api.call('POST', `/v1/gateway/${shop.address}/auth/challenge`)
  const signed = await api.call('POST', `/v1/gateway/${shop.address}/auth/verify`, {
    body: { signer: shop.authority.publicKey, signature: shop.authority.signBytes(challenge.body.nonce) },
  })
  t.match(signed.body, { token: String, expiresIn: Number })
  const { token } = signed.body
  const get = (path: string) => api.call('GET', `/v1/gateway/${shop.address}/merchant/${path}`, { token })
  t.match((await get('policies?limit=100&offset=0')).body, {
    total: 2,
    items: [
      {
        policyAddress: String,
        family: 'regular',
        policyId: Number,
        recipient: String,
        userPayment: String,
        variant: 'Subscription',
        status: 'Active',
        amount: '1000',
        paymentFrequency: 'Monthly',
        lastPaymentAt: Number,
        createdAt: Number,
        paymentCount: 1,
        totalPaid: '1000',
      },
      { lastPaymentAt: null, totalPaid: '0' },
    ],
  })
  t.match((await get('subscribers?limit=100&offset=0')).body, {
    items: [{ wallet, policyCount: 2, totalPaid: '1000', lastActiveAt: NOW }],
    total: 1,
  })
  const from = new Date((NOW - 14 * 86_400) * 1000).toISOString()
  const to = new Date((NOW + 60) * 1000).toISOString()
  const revenue = (await get(`revenue?startTime=${from}&endTime=${to}&bucket=day`)).body
  t.match(revenue, {
    mrr: '1000',
    neverPaid: { mrr: '1000', subscriptionCount: 1 },
    recognizedRevenue: '1000',
    activeSubscriptionCount: 2,
  })
  t.match(revenue.series.at(-1), { ts: /^\d{4}-\d\d-\d\d$/, mrr: '1000', recognized: '1000' })
  const hook = await api.call('POST', '/v1/webhooks', {
    token,
    body: {
      gateway_pubkey: shop.address,
      endpoint_url: 'https://shop.example/hook',
      active: true,
      format: 'tributary',
      description: 'old server',
    },
  })
  t.match(hook.body, { format: 'tributary', description: 'old server' })
  const signature = await chain.pay(policy, NOW, { amount: 42 })
  const { rows } = await api.database.pool.query(
    'select body, message_id from deliveries where webhook_id = $1',
    [hook.body.id],
  )
  const search = (query: string) =>
    api.call('GET', `/v1/webhooks/${hook.body.id}/deliveries?${query}`, { token })
  for (const query of ['trackingId=order-1', `signature=${signature}`])
    t.match((await search(query)).body, [{ trackingId: 'order-1', signature, type: 'payment.executed' }])
  for (const query of ['trackingId=fresh', `signature=${signatureOf('none')}`])
    t.same((await search(query)).body, [])
  const { event, data, timestamp } = JSON.parse(rows[0].body)
  t.equal(event, 'tributary_PaymentRecord')
  t.match(data, {
    payment_policy: policy.address,
    gateway: shop.address,
    amount: 42,
    timestamp: NOW,
    record_id: 1,
    signature,
  })
  t.equal(data.memo.length, 64)
  t.equal(Buffer.from(data.memo).toString().replace(/\0+$/, ''), 'order-1')
  t.match(timestamp, /^\d{4}-.*Z$/)
})

t.test('documented reads: success, data and statistics', async t => {
  const subscriptions = await api.call('GET', '/v1/subscriptions?trackingId=order-1')
  t.match(subscriptions.body, { success: true, data: [{ memo: 'order-1' }] })
  t.match((await api.call('GET', '/v1/onetime/order-1')).body, {
    success: true,
    data: { trackingId: 'order-1' },
  })
  t.match((await api.call('GET', `/v1/events/payments/stats?gateway=${shop.address}`)).body, {
    averagePayment: 521,
  })
  t.match((await api.call('GET', '/v1/events/payments?limit=1')).body, [{ eventName: 'PaymentRecord' }])
  for (const path of ['/v1/assets', '/v1/pools', '/skill.md'])
    t.equal((await api.call('GET', path)).status, 404)
})
