// Every webhook route with every kind of token.
import { SignJWT, importJWK } from 'jose'
import t from 'tap'
import { openGatewayApi } from '../gateway-auth/open-gateway-api.js'
import { makeSigningKey } from '../gateway-auth/make-signing-keys.js'

t.test('every webhook route answers by the gateway of its token', async t => {
  const signingKey = makeSigningKey()
  const api = await openGatewayApi(t, {
    settings: { JWT_PRIVATE_KEYS: JSON.stringify([signingKey]), WEBHOOK_ALLOW_PRIVATE_TARGETS: 'on' },
  })
  const [owner, other] = [await api.addGateway(), await api.addGateway()]
  const [right, foreign] = [await api.signIn(owner), await api.signIn(other)]
  const expired = await new SignJWT({ gateway: owner.address })
    .setProtectedHeader({ alg: 'EdDSA', kid: signingKey.kid })
    .setIssuer('payment-tracking/production')
    .setAudience('payment-tracking-api/production')
    .setSubject(owner.authority.publicKey)
    .setExpirationTime('-1s')
    .sign(await importJWK(signingKey, 'EdDSA'))
  const flipped = right.slice(0, -10) + (right.at(-10) === 'A' ? 'B' : 'A') + right.slice(-9)

  const create = { gateway_pubkey: owner.address, endpoint_url: 'http://127.0.0.1:1/hook' }
  const register = async (): Promise<number> =>
    (await api.call('POST', '/v1/webhooks', { token: right, body: create })).body.id
  const id = await register()
  const test = await api.call('POST', `/v1/webhooks/${id}/test`, { token: right })
  const deliveryId = test.body.id

  // The answer to another gateway's token: 403 where the request names the gateway, else 404 or that gateway's own
  // empty list.
  const routes: {
    method: 'GET' | 'POST' | 'PUT' | 'DELETE'
    path: string
    body?: unknown
    foreign: number
    right: number
  }[] = [
    { method: 'POST', path: '/v1/webhooks', body: create, foreign: 403, right: 201 },
    { method: 'GET', path: '/v1/webhooks', foreign: 200, right: 200 },
    { method: 'GET', path: `/v1/webhooks/gateway/${owner.address}`, foreign: 403, right: 200 },
    { method: 'GET', path: `/v1/webhooks/${id}`, foreign: 404, right: 200 },
    { method: 'PUT', path: `/v1/webhooks/${id}`, body: { active: true }, foreign: 404, right: 200 },
    { method: 'GET', path: '/v1/webhooks/deliveries?trackingId=x', foreign: 200, right: 200 },
    { method: 'PUT', path: `/v1/webhooks/${id}`, body: { headers: null }, foreign: 404, right: 200 },
    { method: 'GET', path: `/v1/webhooks/${id}/deliveries`, foreign: 404, right: 200 },
    { method: 'GET', path: `/v1/webhooks/${id}/deliveries/${deliveryId}`, foreign: 404, right: 200 },
    {
      method: 'POST',
      path: `/v1/webhooks/${id}/deliveries/${deliveryId}/redeliver`,
      foreign: 404,
      right: 202,
    },
    {
      method: 'POST',
      path: `/v1/webhooks/${id}/redeliver`,
      body: { since: '2026-01-01' },
      foreign: 404,
      right: 202,
    },
    { method: 'POST', path: `/v1/webhooks/${id}/test`, foreign: 404, right: 202 },
    { method: 'GET', path: `/v1/webhooks/${id}/secret`, foreign: 404, right: 200 },
    { method: 'POST', path: `/v1/webhooks/${id}/secret/rotate`, foreign: 404, right: 200 },
    { method: 'DELETE', path: `/v1/webhooks/${id}`, foreign: 404, right: 204 },
    { method: 'DELETE', path: `/v1/webhooks/gateway/${owner.address}`, foreign: 403, right: 204 },
  ]
  for (const route of routes) {
    const what = `${route.method} ${route.path.replace(owner.address, ':gateway')}`
    const tokens = { none: undefined, bad: flipped, nonsense: 'a.b.c', expired }
    for (const [kind, token] of Object.entries(tokens)) {
      const { status, body, headers } = await api.call(route.method, route.path, { token, body: route.body })
      t.equal(status, 401, `${what}, ${kind} token`)
      t.match(body, { success: false, code: 'UNAUTHORIZED' })
      t.match(headers['www-authenticate'], /^Bearer/)
    }
    const answer = await api.call(route.method, route.path, { token: foreign, body: route.body })
    t.equal(answer.status, route.foreign, `${what}, another gateway's token`)
    if (answer.status === 200) t.strictSame(answer.body, [])
    t.equal(
      (await api.call(route.method, route.path, { token: right, body: route.body })).status,
      route.right,
      what,
    )
  }
})
