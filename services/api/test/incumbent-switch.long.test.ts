// What a person who changes nothing but the base URL meets: each stumble that the incumbent's own clients showed.
// All of them share one chain and one verifier, so it is one file of more than 300 lines.
// In one process with others: what tests load.
import { SENT } from '@payment-tracking/testkit'
import { decodeJwt, importJWK, SignJWT } from 'jose'
import t from 'tap'
import { makeCheckoutKey } from './checkout/make-checkout-keys.js'
import { openVerifier } from './checkout/published-verifier.js'
import { addSignedIn, openGatewayApi } from './gateway-auth/open-gateway-api.js'
import { makeSigningKeys } from './gateway-auth/make-signing-keys.js'
import { signInDirectly } from './merchant/sign-in-directly.js'
import { openApi } from './open-api.js'
import { keyOf, subscriptionOf, openChain } from './open-chain.js'

// Some 3,000 requests, and sign-ins.
t.setTimeout(240_000)

const DAY = 86_400
/** 2026-11-18T09:06:40Z. */
const NOW = 1_794_992_800
let clock = NOW
const keys = makeSigningKeys()
const [ours, theirs] = [makeCheckoutKey(), makeCheckoutKey()]
const CHECKOUT = { CHECKOUT_TOKEN_KEYS: JSON.stringify([ours, theirs]) }
const api = await openApi(
  t,
  { JWT_PRIVATE_KEYS: keys, RATE_LIMIT_MAX: '1000', ...CHECKOUT },
  () => clock * 1000,
)
const chain = openChain(api.store)

const issue = async (body: unknown) => {
  const answer = await api.app.inject({ method: 'POST', url: '/v1/tokens/issue', payload: body as object })
  return { status: answer.statusCode, body: answer.json(), headers: answer.headers }
}
type Claimed = { policies: { policyAddress: string; status: string }[]; lastPayments: { memo: string }[] }

const directly = (gateway: string, payer: string, amount: string, at: number) =>
  chain.transfer({ gateway, payer, amount }, at)

t.test('revenue without startTime is the whole life, in at most 400 buckets', async t => {
  for (const [years, bucket] of [
    [0.5, 'day'],
    [3, 'week'],
    [12, 'month'],
    [50, 'month'],
  ] as const) {
    const { gateway, headers } = await signInDirectly(chain, keys, `of ${years} years`)
    const first = NOW - Math.floor(years * 365 * DAY)
    const times = [first, first + 40 * DAY, NOW - 5, NOW + 3_600]
    for (const at of times) await directly(gateway, keyOf('payer'), '100', at)
    // Its block is of the day after.
    await chain.transfer({ gateway, amount: '7', timestamp: String(first - 1) }, first + DAY)
    const { body } = await api.get(`/v1/gateway/${gateway}/merchant/revenue?`, { headers })
    t.match(body, { recognizedRevenue: '407', bucket }, `${years} years`)
    t.ok(body.series.length <= 400, String(body.series.length))
    const sum = body.series.reduce(
      (all: number, { recognized }: { recognized: string }) => all + +recognized,
      0,
    )
    t.equal(sum, 407, 'every payment is in a bucket')
    const file = await api.get(`/v1/gateway/${gateway}/merchant/export/revenue?format=csv`, { headers })
    t.match(file.text, /^mrr,recognizedRevenue,activeSubscriptionCount,tokenMint,/)
    t.match(file.text.split('\r\n')[1], /^0,407,0,/)
    const series = await api.get(`/v1/gateway/${gateway}/merchant/export/series?format=csv`, { headers })
    t.match(series.text, /^ts,mrr,recognized,tokenMint,/)
  }
  const empty = await signInDirectly(chain, keys, 'new')
  const { body } = await api.get(`/v1/gateway/${empty.gateway}/merchant/revenue`, empty)
  t.match(body, { recognizedRevenue: '0', series: [{ recognized: '0' }] })
})

t.test('subscribers are the wallets that paid; who never paid is another list', async t => {
  const { gateway, headers } = await signInDirectly(chain, keys, 'subscribers')
  const list = async (query = '') =>
    (await api.get(`/v1/gateway/${gateway}/merchant/subscribers?${query}`, { headers })).body
  const walletsOf = ({ items }: { items: { wallet: string }[] }) => items.map(({ wallet }) => wallet).sort()
  const [payer, direct, idle, taken] = ['payer', 'direct', 'idle', 'taken back'].map(keyOf) as [
    string,
    string,
    string,
    string,
  ]
  const at = NOW - DAY
  const policy = await chain.policy({ gateway, owner: payer, type: subscriptionOf(), at })
  await chain.policy({ gateway, owner: idle, type: subscriptionOf(), at })
  await chain.policy({ gateway, owner: idle, type: subscriptionOf(), at: at + 1 })
  const late = await chain.policy({ gateway, owner: taken, type: subscriptionOf(), at })
  await chain.pay(policy, at)
  await directly(gateway, direct, '50', at)
  const retracted = await chain.pay(late, at)
  t.same(walletsOf(await list()), [payer, direct, taken].sort())
  const inOrder = (await list()).items.map(({ wallet }: { wallet: string }) => wallet)
  t.same(inOrder, [payer, direct, taken].sort(), 'in the order of wallets')
  t.same(walletsOf(await list('neverPaid=true')), [idle])
  await chain.retract(retracted)
  t.same(walletsOf(await list()), [payer, direct].sort(), 'what was retracted was not paid')
  const never = await list('neverPaid=true')
  t.same(walletsOf(never), [idle, taken].sort())
  t.match(never, {
    total: 2,
    items: [{ wallet: idle, policyCount: 2, totalPaid: '0', lastActiveAt: null }, {}],
  })
  t.match(
    (await list()).items.find(({ wallet }: { wallet: string }) => wallet === direct),
    {
      policyCount: 0,
      totalPaid: '50',
      lastActiveAt: at,
    },
  )
  for (const query of ['', 'neverPaid=true&']) {
    const seen: string[] = []
    let page = await api.get(`/v1/gateway/${gateway}/merchant/subscribers?${query}limit=1`, { headers })
    for (;;) {
      seen.push(...walletsOf(page.body))
      const cursor = page.headers['x-next-cursor']
      if (cursor === undefined) break
      page = await api.get(`/v1/gateway/${gateway}/merchant/subscribers?cursor=${cursor}`, { headers })
    }
    t.same(seen.sort(), walletsOf(await list(query)), 'page by page, each wallet once')
  }
})

t.test('a subscription that was never paid is pending until its due date, then overdue', async t => {
  const owner = keyOf('never paid')
  const due = NOW - DAY
  const never = await chain.policy({
    owner,
    at: due - 2_000,
    type: subscriptionOf({ next_payment_due: String(due) }),
  })
  const renewed = await chain.policy({
    owner,
    at: due - DAY,
    type: subscriptionOf({ next_payment_due: String(due - DAY), payment_frequency: { Daily: null } }),
  })
  await chain.pay(renewed, due - DAY)
  t.teardown(() => (clock = NOW))
  const statusesAt = async (at: number) => {
    clock = at
    const { body } = await issue({ walletPublicKey: owner })
    const { policies, exp } = decodeJwt<Claimed>(body.token)
    const of = (address: string) => policies.find(({ policyAddress }) => policyAddress === address)?.status
    return { statuses: [of(never.address), of(renewed.address)], endsIn: exp! - at }
  }
  t.match(await statusesAt(due - 1_000), { statuses: ['pending', 'paid'], endsIn: 1_000 })
  t.same((await statusesAt(due)).statuses, ['overdue', 'paid'], 'the grace is for renewals')
  t.same((await statusesAt(due + 3_600)).statuses, ['overdue', 'paid'])
  t.same((await statusesAt(due + 3 * 3_600)).statuses, ['overdue', 'overdue'])
})

t.test('while a policy is young, a proof waits for its first payment', async t => {
  const owner = keyOf('buyer')
  const policy = await chain.policy({
    owner,
    memo: 'bought',
    at: NOW,
    type: subscriptionOf({ next_payment_due: String(NOW) }),
  })
  const body = { walletPublicKey: owner, recipient: policy.recipient, trackingId: null }
  t.teardown(() => (clock = NOW))
  for (clock of [NOW, NOW + 14]) t.equal((await issue(body)).status, 404, `${clock - NOW} s`)
  clock = NOW + 15
  t.equal(decodeJwt<Claimed>((await issue(body)).body.token).policies[0]!.status, 'overdue')
  clock = NOW + 2
  await chain.pay(policy, NOW)
  const { policies, lastPayments } = decodeJwt<Claimed>((await issue(body)).body.token)
  t.match([policies, lastPayments], [[{ status: 'paid' }], [{ memo: 'bought' }]])
  // A stranger's new policy with the same memo holds back nobody's proof.
  await chain.policy({ owner: keyOf('stranger'), memo: 'bought', at: NOW, type: subscriptionOf() })
  t.equal((await issue({ recipient: policy.recipient, trackingId: 'bought' })).status, 200)
})

t.test('proofs are limited by what a request names, and unreadable input is not counted', async t => {
  // Without keys to sign with, a request that is admitted is answered 503 at once.
  const limited = await openApi(t)
  const ask = (payload: object, remoteAddress = '203.0.113.9') =>
    limited.app.inject({ method: 'POST', url: '/v1/tokens/issue', payload, remoteAddress })
  const [wallet, other] = [keyOf('wallet 1'), keyOf('wallet 2')]
  for (let letters = 1; letters < 240; letters++)
    t.equal((await ask({ walletPublicKey: wallet.slice(0, letters % 40) })).statusCode, 400)
  for (let count = 0; count < 200; count++) t.equal((await ask({ walletPublicKey: wallet })).statusCode, 503)
  const refused = await ask({ walletPublicKey: wallet })
  t.equal(refused.statusCode, 429)
  t.match(refused.headers, { 'retry-after': /^[1-9]\d?$/, 'ratelimit-limit': '200' })
  for (let count = 0; count < 240; count++)
    t.equal((await ask({ tokenMint: wallet, recipient: wallet })).statusCode, 400, 'not counted')
  const elsewhereStatus = (await ask({ walletPublicKey: wallet }, '198.51.100.1')).statusCode
  t.equal(elsewhereStatus, 503, 'strangers lock nobody out')
  t.equal((await ask({ walletPublicKey: other })).statusCode, 503, 'another buyer behind the address goes on')
  const pair = { recipient: other, trackingId: 'asked for often' }
  for (let count = 0; count < 200; count++) await ask(pair)
  t.equal((await ask(pair)).statusCode, 429)
  t.equal((await ask(pair, '198.51.100.1')).statusCode, 503)
  for (const buyer of [1, 2, 3, 4, 5, 6]) {
    const own = { ...pair, walletPublicKey: keyOf(`shares an ID ${buyer}`) }
    t.equal((await ask(own)).statusCode, 503, 'buyers of one tracking ID behind one address go on')
  }
  for (let count = 0; count < 1_690; count++) await ask({ walletPublicKey: keyOf(`buyer ${count}`) })
  t.equal((await ask({ walletPublicKey: keyOf('one more') })).statusCode, 429, '2,000 an address')
  t.equal((await ask({ walletPublicKey: keyOf('one more') }, '198.51.100.1')).statusCode, 503)
})

t.test('unknown parameters are ignored and named, and limits are brought into bounds', async t => {
  const { headers, gateway } = await signInDirectly(chain, keys, 'bounds')
  const ask = (url: string, options = {}) => api.get(url, options)
  await chain.policy({ memo: 'two', mint: keyOf('mint a'), at: NOW - DAY, type: subscriptionOf() })
  await chain.policy({ memo: 'two', mint: keyOf('mint b'), at: NOW - DAY, type: subscriptionOf() })
  for (const [url, ignored] of [
    ['/v1/subscriptions?trackingId=two&_=17', '_'],
    ['/v1/events/typed/PaymentRecord?limit=1&cache=no&odd%20one=%0d%0a', 'cache, odd%20one'],
    ['/v1/events/referrals/rewards?gatway=x', 'gatway'],
    ['/v1/payment-policies?trackingId=two&t=1', 't'],
    ['/v1/jwks?v=2', 'v'],
    [`/v1/gateway/${gateway}/merchant/upcoming?bucket=week`, 'bucket'],
    [`/v1/gateway/${gateway}/merchant/export/payments?limit=7`, 'limit'],
  ] as const) {
    const answer = await ask(url, { headers })
    t.equal(answer.status, 200, url)
    t.equal(answer.headers['x-ignored-parameters'], ignored)
  }
  for (const url of ['/v1/events?limit=1&cache=no', '/v1/events/payments?gatway=x', '/v1/onetime/x?x=1'])
    t.equal((await ask(url)).status, 400, `${url}: an ignored filter would answer with all`)
  for (const url of [`/v1/webhooks/gateway/${gateway}?active=false`, '/v1/webhooks/1?_=17']) {
    const refused = await api.app.inject({ method: 'DELETE', url, headers })
    t.equal(refused.statusCode, 400, url)
    t.notOk(refused.headers['x-ignored-parameters'])
  }
  const typed = '/v1/events/typed/PaymentPolicyCreated'
  const next = (await ask(`${typed}?limit=1&cache=no`)).headers['x-next-cursor']
  t.equal((await ask(`${typed}?cursor=${next}`)).status, 200, 'a cursor carries no unknown parameter')
  t.equal((await ask('/v1/events?limit=5000')).status, 400, 'theirs has no bound there, ours has')
  for (const limit of ['5000', '0', '-3'])
    for (const list of ['policies', 'subscribers', 'upcoming'])
      t.equal(
        (await ask(`/v1/gateway/${gateway}/merchant/${list}?limit=${limit}`, { headers })).status,
        200,
        limit,
      )
})

t.test('tokens from before the switch verify by their key, and cannot be refreshed', async t => {
  const wallet = keyOf('old customer')
  const claims = {
    sub: wallet,
    iss: 'https://api.tributary.so',
    aud: 'tributary-checkout',
    policies: [],
    lastPayments: [{ recipient: keyOf('shop'), payer: wallet, memo: 'old' }],
  }
  const now = Math.floor(Date.now() / 1000)
  const token = await new SignJWT({ ...claims, iat: now, nbf: now, exp: now + 30 * DAY, jti: 'old' })
    .setProtectedHeader({ alg: 'ES256', kid: theirs.kid, typ: 'JWT' })
    .sign(await importJWK(theirs, 'ES256'))
  const baseUrl = await api.app.listen({ port: 0, host: '127.0.0.1' })
  const expected = { wallet, recipient: keyOf('shop'), memo: 'old' }
  t.ok(await openVerifier(baseUrl).verifyPayment(token, expected))
  const headers = { authorization: `Bearer ${token}` }
  const refreshed = await api.app.inject({ method: 'POST', url: '/v1/tokens/refresh', headers })
  t.equal(refreshed.statusCode, 401)
  const alone = await openApi(t, { CHECKOUT_TOKEN_KEYS: JSON.stringify([ours]) })
  const without = await alone.app.listen({ port: 0, host: '127.0.0.1' })
  await t.rejects(openVerifier(without).verifyPayment(token, expected), 'without the second key it does not')
})

t.test('a webhook has the format that its gateway chose, and the answer names it', async t => {
  const gateways = await openGatewayApi(t)
  const { gateway, token } = await addSignedIn(gateways)
  const body = { gateway_pubkey: gateway.address, endpoint_url: 'https://shop.example/hook', active: true }
  const register = (more = {}) => gateways.call('POST', '/v1/webhooks', { token, body: { ...body, ...more } })
  const unknown = await gateways.call('POST', '/v1/webhooks', { body })
  t.equal(unknown.status, 401)
  t.match(unknown.body.error, /authorization: Bearer .*"format": "tributary"/)
  t.match(await register(), { status: 201, body: { format: 'standard' } })
  const settings = `/v1/gateway/${gateway.address}/settings`
  const unchosen = (await gateways.call('GET', settings, { token })).body
  t.same(unchosen, { webhookFormat: null, webhookRecover: null })
  t.equal((await gateways.call('PUT', settings, { token, body: { webhookFormat: 'xml' } })).status, 400)
  t.equal((await gateways.call('PUT', settings, { body: { webhookFormat: 'standard' } })).status, 401)
  const other = await gateways.addGateway()
  const stranger = await gateways.signIn(other)
  t.equal(
    (await gateways.call('PUT', settings, { token: stranger, body: { webhookFormat: 'standard' } })).status,
    403,
  )
  const choice = { webhookFormat: 'tributary' }
  t.match(await gateways.call('PUT', settings, { token, body: choice }), { status: 200, body: choice })
  const created = await register()
  t.match(created, { status: 201, body: { format: 'tributary' } })
  const kept = await gateways.call('PUT', settings, { token, body: {} })
  t.match(kept, { status: 200, body: choice }, 'what is left out stays')
  t.match(await register({ format: 'standard' }), { status: 201, body: { format: 'standard' } })
  t.equal(created.body.recover, false, 'the fourth failed request is the last')
  await gateways.call('PUT', settings, { token, body: { webhookFormat: null, webhookRecover: true } })
  t.match(await register(), { body: { recover: true } })
  t.match(await register({ recover: false }), { body: { recover: false } })
  t.match(await register(), { status: 201, body: { format: 'standard' } }, 'without a choice')
  const test = await gateways.call('POST', `/v1/webhooks/${created.body.id}/test`, { token })
  const { rows } = await gateways.database.pool.query(`select body from ${SENT} d where id = $1`, [
    test.body.id,
  ])
  const testMessage = JSON.parse(rows[0].body)
  t.match(testMessage, { event: 'webhook.test', data: { gateway: gateway.address }, timestamp: String })
})
