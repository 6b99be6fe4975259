// What an endpoint of the incumbent's clients is sent, with the fields that they read. Their checkout and screens:
// test/clients/switch.long.test.ts.
import { SENT } from '@payment-tracking/testkit'
import t from 'tap'
import { makeWallet, openGatewayApi } from './gateway-auth/open-gateway-api.js'
import { signatureOf, subscriptionOf, openChain } from './open-chain.js'

const NOW = Math.floor(Date.now() / 1000)
const api = await openGatewayApi(t)
const chain = openChain(api.store)
const shop = await api.addGateway()
const wallet = makeWallet().publicKey
const policy = await chain.policy({
  gateway: shop.address,
  owner: wallet,
  memo: 'order-1',
  at: NOW - 50,
  type: subscriptionOf({ next_payment_due: String(NOW - 50) }),
})

t.test('a gateway signs in with the bytes of a signature; its endpoint is notified as before', async t => {
  const challenge = await api.call('POST', `/v1/gateway/${shop.address}/auth/challenge`)
  const signed = await api.call('POST', `/v1/gateway/${shop.address}/auth/verify`, {
    body: { signer: shop.authority.publicKey, signature: shop.authority.signBytes(challenge.body.nonce) },
  })
  t.match(signed.body, { token: String, expiresIn: Number })
  const { token } = signed.body
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
    `select body, message_id from ${SENT} d where webhook_id = $1`,
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
