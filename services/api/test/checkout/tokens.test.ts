// Proofs of payment: the published verifier accepts valid proofs, and forty requests must get no proof or no false
// proof. All of them ask about the same chain, so they are one file of more than 300 lines.
import { createHash } from 'node:crypto'
import { decodeJwt, decodeProtectedHeader, importJWK, SignJWT } from 'jose'
import t from 'tap'
import { makeSigningKey } from '../gateway-auth/make-signing-keys.js'
import { openApi, type Answer } from '../open-api.js'
import { keyOf, memoOf, signatureOf, subscriptionOf, openChain } from '../open-chain.js'
import { makeCheckoutKey } from './make-checkout-keys.js'
import { openVerifier } from './published-verifier.js'

const NOW = Math.floor(Date.now() / 1000)
const DAY = 86_400
const [me, other, shop, mint] = [keyOf('me'), keyOf('other'), keyOf('shop'), keyOf('mint')]
const jwtKey = makeSigningKey()
const checkoutKey = makeCheckoutKey()
const nextKey = makeCheckoutKey()

let clockMs = NOW * 1000
const api = await openApi(
  t,
  {
    RATE_LIMIT_MAX: '100000',
    JWT_PRIVATE_KEYS: JSON.stringify([jwtKey]),
    CHECKOUT_TOKEN_KEYS: JSON.stringify({ keys: [checkoutKey, nextKey] }),
  },
  () => clockMs,
)
const baseUrl = await api.app.listen({ port: 0, host: '127.0.0.1' })
const verifier = openVerifier(baseUrl)
const chain = openChain(api.store)

const post = async (path: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> => {
  const answer = await api.app.inject({
    method: 'POST',
    url: `/v1/tokens/${path}`,
    headers: { 'content-type': 'application/json', ...headers },
    payload: typeof body === 'string' ? body : JSON.stringify(body),
  })
  return { status: answer.statusCode, body: answer.json(), text: answer.body, headers: {} }
}
const issue = (body: unknown) => post('issue', body)
const refresh = (token: string) => post('refresh', '', { authorization: `Bearer ${token}` })
const claimsOf = async (body: unknown) => decodeJwt<Record<string, never[]>>((await issue(body)).body.token)

const paid = await chain.policy({
  owner: me,
  mint,
  recipient: shop,
  memo: 'paid-order',
  at: NOW - 20 * DAY,
  type: subscriptionOf({ next_payment_due: String(NOW - 20 * DAY) }),
})
const paidIn = await chain.pay(paid, NOW - 20 * DAY, { amount: 1234 })
const late = await chain.policy({
  owner: me,
  mint,
  recipient: keyOf('late shop'),
  memo: 'late-order',
  at: NOW - 40 * DAY,
  type: subscriptionOf({ next_payment_due: String(NOW - 40 * DAY), payment_frequency: { Daily: null } }),
})
await chain.pay(late, NOW - 2 * DAY)
const barelyLate = await chain.policy({
  owner: me,
  mint,
  recipient: keyOf('patient shop'),
  memo: 'hour-late',
  at: NOW - 40 * DAY,
  type: subscriptionOf({
    next_payment_due: String(NOW - 2 * DAY - 3_600),
    payment_frequency: { Daily: null },
  }),
})
await chain.pay(barelyLate, NOW - DAY - 3_500)
const foreign = await chain.policy({
  owner: other,
  mint,
  recipient: shop,
  memo: 'foreign-order',
  at: NOW - DAY,
  type: subscriptionOf({ next_payment_due: String(NOW) }),
})
const foreignPaidIn = await chain.pay(foreign, NOW - 60)

t.test('the published verifier accepts a payment, a policy and a subscription', async t => {
  const { status, body } = await issue({ walletPublicKey: me, recipient: shop, tokenMint: mint })
  t.equal(status, 200)
  t.strictSame(Object.keys(body), ['token', 'expiresAt'])
  const expected = { wallet: me, recipient: shop, memo: ' paid-order ' }
  t.match(await verifier.verifyPayment(body.token, expected), {
    signature: paidIn,
    policyAddress: paid.address,
    amount: '1234',
    payer: me,
    recordId: 1,
    tokenMint: mint,
    timestamp: NOW - 20 * DAY,
    gateway: paid.gateway,
    slot: Number,
  })
  t.match(await verifier.verifyPolicy(body.token, { ...expected, variant: 'subscription', status: 'paid' }), {
    policyAddress: paid.address,
    tokenMint: mint,
    amount: '1000',
    paymentFrequency: 'monthly',
    totalPayments: 1,
    autoRenew: true,
    maxRenewals: null,
    memo: 'paid-order',
    createdAt: NOW - 20 * DAY,
  })
  t.match(await verifier.verifySubscription(body.token, expected), { policyAddress: paid.address })
  const claims = decodeJwt(body.token)
  t.match(claims, { sub: me, aud: 'tributary-checkout', nbf: claims.iat, jti: String, exp: body.expiresAt })
  t.strictSame(decodeProtectedHeader(body.token), { alg: 'ES256', kid: checkoutKey.kid, typ: 'JWT' })
  t.equal(body.expiresAt, NOW + DAY, 'its due date is further away than the longest life')
  await t.rejects(verifier.verifyPayment(body.token, { ...expected, wallet: other }))
  await t.rejects(verifier.verifyPayment(body.token, { ...expected, memo: 'foreign-order' }))
  await t.rejects(verifier.verifyPolicy(body.token, { ...expected, recipient: keyOf('late shop') }))
})

t.test('each type of policy has its claim and its end', async t => {
  const owner = keyOf('collector')
  const addPolicy = async (memo: string, type: Record<string, unknown>) =>
    chain.policy({ owner, mint, recipient: keyOf(memo), memo, at: NOW - DAY, type })
  await addPolicy('milestone', {
    Milestone: {
      milestone_amounts: ['10', '20', '0', '0'],
      milestone_timestamps: [NOW - 5, NOW + 5_000, 0, 0].map(String),
      current_milestone: 0,
      release_condition: 1,
      total_milestones: 2,
      escrow_amount: '30',
    },
  })
  const cap = await addPolicy('cap', {
    PayAsYouGo: {
      max_amount_per_period: '100',
      max_chunk_amount: '60',
      period_length_seconds: '7000',
      current_period_start: String(NOW - 100),
      current_period_total: '0',
      expiry_date: null,
    },
  })
  await chain.pay(cap, NOW - 50, { amount: 40 })
  await addPolicy('over', {
    PayAsYouGo: {
      max_amount_per_period: '100',
      max_chunk_amount: '60',
      period_length_seconds: '7000',
      current_period_start: '0',
      current_period_total: '0',
      expiry_date: String(NOW - 10),
    },
  })
  await addPolicy('once', { OneTime: { amount: '5', due_date: '0', expiry_date: String(NOW + 900) } })
  await addPolicy('missed', { OneTime: { amount: '5', due_date: '0', expiry_date: String(NOW - 900) } })
  const upTo = await addPolicy('up-to', {
    UpTo: { max_amount: '9', valid_after: '0', deadline: String(NOW + 2_000) },
  })
  await chain.pay(upTo, NOW - 40, { amount: 0 })
  const ask = async (memo: string) => {
    const { status, body } = await issue({ walletPublicKey: owner, recipient: keyOf(memo) })
    if (status !== 200) return { status }
    const { policies, exp } = decodeJwt<{ policies: Record<string, unknown>[] }>(body.token)
    return { claim: policies[0], endsIn: exp! - NOW }
  }
  t.match(await ask('milestone'), {
    claim: {
      variant: 'milestone',
      status: 'active',
      milestoneAmounts: ['10', '20', '0', '0'],
      totalMilestones: 2,
      currentMilestone: 0,
      escrowAmount: '30',
      escrowRemaining: '30',
      releaseCondition: 1,
    },
    endsIn: 5_600,
  })
  t.match(await ask('cap'), {
    claim: {
      variant: 'payAsYouGo',
      status: 'active',
      maxAmountPerPeriod: '100',
      maxChunkAmount: '60',
      periodLengthSeconds: 7000,
      currentPeriodStart: NOW - 100,
      currentPeriodTotal: '40',
      capRemainingThisPeriod: '60',
      periodResetsAt: NOW + 6_900,
    },
    endsIn: 7_500,
  })
  t.same(await ask('over'), { status: 404 })
  t.match(await ask('once'), {
    claim: { variant: 'oneTime', status: 'pending', amount: '5', dueDate: null, expiryDate: NOW + 900 },
    endsIn: 1_500,
  })
  t.match(await ask('missed'), { claim: { status: 'expired' }, endsIn: 3_600 })
  t.match(await ask('up-to'), {
    claim: { variant: 'upTo', status: 'settled', maxAmount: '9', validAfter: null, deadline: NOW + 2_000 },
    endsIn: 2_000,
  })
})

t.test('a policy that its owner ended without a payment is no payment', async t => {
  const owner = keyOf('ends without paying')
  const types = {
    subscription: subscriptionOf({ next_payment_due: String(NOW + DAY) }),
    once: { OneTime: { amount: '5', due_date: '0', expiry_date: null } },
    'up-to': { UpTo: { max_amount: '9', valid_after: '0', deadline: String(NOW + 2_000) } },
  }
  for (const [memo, type] of Object.entries(types)) {
    const play = keyOf('play money')
    const policy = await chain.policy({ owner, mint: play, recipient: shop, memo, at: NOW - DAY, type })
    await chain.change(policy.address, 'Completed', NOW - 10)
  }
  const { policies, lastPayments } = await claimsOf({ walletPublicKey: owner })
  t.equal(policies!.length, 3)
  for (const claim of policies!) t.match(claim, { status: 'pending', tokenMint: keyOf('play money') })
  t.same(lastPayments, [])
})

t.test('a transaction proves its payments, also those without a policy', async t => {
  const direct = signatureOf('basket')
  const basket = { gateway: keyOf('gateway'), amount: '7', memo: memoOf(''), payer: me, token_mint: mint }
  for (const [index, recipient] of [shop, keyOf('second shop')].entries())
    await chain.transfer({ ...basket, recipient }, NOW, { signature: direct, index })
  const { body } = await issue({ transactionSignature: direct, walletPublicKey: me })
  for (const recipient of [shop, keyOf('second shop')])
    t.match(await verifier.verifyPayment(body.token, { wallet: me, recipient, memo: '' }), { amount: '7' })
  t.match(await claimsOf({ transactionSignature: direct }), { sub: direct, policies: [] })
  const toSecondShop = await claimsOf({ walletPublicKey: me, recipient: keyOf('second shop') })
  t.match(toSecondShop, { lastPayments: [{ signature: direct }] })
  t.match(await claimsOf({ transactionSignature: paidIn }), { policies: [{ policyAddress: paid.address }] })
  const ofPaidOrder = await claimsOf({ recipient: shop, trackingId: 'paid-order' })
  t.match(ofPaidOrder, { sub: `${shop}-paid-order`, lastPayments: [{ signature: paidIn }] })
})

t.test('an old token is exchanged for a new token, which states the present details', async t => {
  const { body } = await issue({ walletPublicKey: me, policyAddress: late.address })
  const before = decodeJwt(body.token)
  clockMs += 3 * DAY * 1000
  const renewed = await refresh(body.token)
  t.equal(renewed.status, 200)
  const after = decodeJwt<{ policies: { policyAddress: string }[] }>(renewed.body.token)
  t.equal(after.sub, me)
  const policyAddresses = after.policies.map(one => one.policyAddress)
  t.same(policyAddresses, [late.address])
  t.not(after.jti, before.jti)
  clockMs += 9 * DAY * 1000
  t.equal((await refresh(body.token)).status, 401)
  clockMs = NOW * 1000
})

const ISSUE = { method: 'POST', url: '/v1/tokens/issue', payload: { walletPublicKey: me } } as const

t.test('both kinds of keys are in one set, and a new key is published before it signs', async t => {
  for (const path of ['/.well-known/jwks.json', '/v1/jwks']) {
    const { body, headers } = await api.get(path)
    t.match(
      body.keys.map(({ kid, alg, use, kty }: Record<string, string>) => ({ kid, alg, use, kty })),
      [
        { kid: jwtKey.kid, alg: 'EdDSA', use: 'sig', kty: 'OKP' },
        { kid: checkoutKey.kid, alg: 'ES256', use: 'sig', kty: 'EC' },
        { kid: nextKey.kid, alg: 'ES256', use: 'sig', kty: 'EC' },
      ],
    )
    const hasPrivate = body.keys.some((key: object) => 'd' in key)
    t.notOk(hasPrivate, 'no private half')
    t.equal(headers['cache-control'], 'public, max-age=300')
  }
  // The verifier's cached set already holds the next key, so its tokens are accepted without a request.
  const CHECKOUT_TOKEN_KEYS = JSON.stringify([nextKey, checkoutKey])
  const rotated = await openApi(t, { CHECKOUT_TOKEN_KEYS }, () => clockMs)
  await openChain(rotated.store).policy({
    owner: me,
    mint,
    recipient: shop,
    at: NOW - 60,
    type: subscriptionOf({ next_payment_due: String(NOW) }),
  })
  const answer = await rotated.app.inject(ISSUE)
  t.equal(decodeProtectedHeader(answer.json().token).kid, nextKey.kid)
  t.ok(await verifier.verify(answer.json().token, me))
})

t.test('without keys there are no tokens; with bad keys the service does not start', async t => {
  const without = await openApi(t)
  const answer = await without.app.inject(ISSUE)
  t.match(answer.json(), { code: 'CHECKOUT_TOKENS_OFF' })
  t.equal(answer.statusCode, 503)
  const { d, ...publicOnly } = checkoutKey
  for (const keys of [
    '{',
    '[]',
    [publicOnly],
    [jwtKey],
    [checkoutKey, checkoutKey],
    [{ ...checkoutKey, kid: jwtKey.kid }],
  ]) {
    const text = typeof keys === 'string' ? keys : JSON.stringify(keys)
    const settings = { CHECKOUT_TOKEN_KEYS: text, JWT_PRIVATE_KEYS: JSON.stringify([jwtKey]) }
    const error = await openApi(t, settings).catch((caught: unknown) => caught as Error)
    t.match((error as Error).message, /CHECKOUT_TOKEN_KEYS/)
    t.notOk((error as Error).message.includes(d!))
  }
})

t.test('forty requests that must get no token, or no false token', async t => {
  const paused = await chain.policy({
    owner: keyOf('pauser'),
    mint,
    recipient: shop,
    at: NOW - DAY,
    type: subscriptionOf(),
  })
  await chain.change(paused.address, 'Paused', NOW - 10)
  const deleted = await chain.policy({
    owner: keyOf('deleter'),
    mint,
    recipient: shop,
    at: NOW - DAY,
    type: subscriptionOf(),
  })
  await chain.remove(deleted.address, deleted.owner, NOW - 10)
  const regretful = await chain.policy({
    owner: keyOf('regretful'),
    mint,
    recipient: shop,
    memo: 'regret',
    at: NOW - DAY,
    type: { UnknownType: {} },
  })
  const retracted = await chain.pay(regretful, NOW - 30)
  await chain.retract(retracted)
  const orphan = await chain.say(
    'PaymentRecord',
    {
      payment_policy: keyOf('unknown policy'),
      gateway: keyOf('gateway'),
      amount: '1',
      timestamp: String(NOW),
      memo: [...Buffer.alloc(64)],
      record_id: 1,
    },
    NOW,
  )

  const refused: Record<string, [status: number, body: unknown]> = {
    'nothing at all': [400, {}],
    'no body': [400, ''],
    'an array': [400, []],
    'a text': [400, '"x"'],
    'a recipient alone': [400, { recipient: shop }],
    'a tracking ID alone': [400, { trackingId: 'paid-order' }],
    'a mint alone': [400, { tokenMint: mint }],
    'a policy alone': [400, { policyAddress: paid.address }],
    'a wallet that is no key': [400, { walletPublicKey: 'me' }],
    'a wallet of 31 bytes': [400, { walletPublicKey: '1'.repeat(31) }],
    'a wallet that is a number': [400, { walletPublicKey: 7 }],
    'a wallet in a list': [400, { walletPublicKey: [me] }],
    'a wallet with SQL': [400, { walletPublicKey: `${me}' or true --` }],
    'a raw transaction': [400, { walletPublicKey: me, transaction: 'AQAB' }],
    'claims of its own': [400, { walletPublicKey: me, policies: [{ status: 'paid' }] }],
    'a tracking ID with NUL': [400, { recipient: shop, trackingId: 'paid\0' }],
    'a tracking ID of 65 bytes': [400, { recipient: shop, trackingId: 'x'.repeat(65) }],
    'a signature that is none': [400, { transactionSignature: me }],
    'a wallet that never paid': [404, { walletPublicKey: keyOf('nobody') }],
    'a foreign mint': [404, { walletPublicKey: me, tokenMint: keyOf('play money') }],
    'a foreign recipient': [404, { walletPublicKey: me, recipient: keyOf('nobody') }],
    "another's policy": [404, { walletPublicKey: me, policyAddress: foreign.address }],
    "another's tracking ID": [404, { walletPublicKey: me, trackingId: 'foreign-order' }],
    'a tracking ID with a space': [404, { walletPublicKey: me, trackingId: 'paid-order ' }],
    'a paused policy': [404, { walletPublicKey: paused.owner }],
    'a deleted policy': [404, { walletPublicKey: deleted.owner }],
    'a retracted payment': [404, { walletPublicKey: regretful.owner }],
    'a retracted transaction': [404, { transactionSignature: retracted }],
    'a retracted tracking ID': [404, { recipient: shop, trackingId: 'regret' }],
    'a transaction that nobody knows': [404, { transactionSignature: signatureOf('unknown') }],
    'a payment without a known payer': [404, { transactionSignature: orphan, walletPublicKey: me }],
    "another's transaction": [422, { transactionSignature: foreignPaidIn, walletPublicKey: me }],
    'a transaction to another recipient': [
      404,
      { transactionSignature: paidIn, walletPublicKey: me, recipient: keyOf('late shop') },
    ],
  }
  for (const [what, [status, body]] of Object.entries(refused)) {
    const answer = await issue(body)
    t.equal(answer.status, status, what)
    t.notOk(answer.body.token, what)
  }

  const { payload } = { payload: await claimsOf({ walletPublicKey: me, recipient: shop }) }
  const all = [...payload.policies!, ...payload.lastPayments!] as { policyAddress: string }[]
  for (const one of all) t.not(one.policyAddress, foreign.address, "others' policies for the same recipient")

  const good = (await issue({ walletPublicKey: me })).body.token as string
  const [head, body, signed] = good.split('.') as [string, string, string]
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const claims = decodeJwt(good)
  const header = decodeProtectedHeader(good)
  const sign = async (
    alg: string,
    key: Parameters<SignJWT['sign']>[0],
    with_: object = {},
    kid: string = checkoutKey.kid,
  ) => new SignJWT({ ...claims, ...with_ }).setProtectedHeader({ alg, kid, typ: 'JWT' }).sign(key)
  const ours = await importJWK(checkoutKey, 'ES256')
  const publicText = JSON.stringify((await api.get('/v1/jwks')).body.keys[1])
  const forged: Record<string, string> = {
    'another wallet in the payload': `${head}.${encode({ ...claims, sub: other })}.${signed}`,
    'no algorithm': `${encode({ ...header, alg: 'none' })}.${body}.AA`,
    'the public key as a secret': await sign('HS256', createHash('sha256').update(publicText).digest()),
    "a stranger's key under our kid": await sign('ES256', await importJWK(makeCheckoutKey(), 'ES256')),
    'an unknown kid': await sign('ES256', ours, {}, 'unknown'),
    "a gateway token's key": await sign('EdDSA', await importJWK(jwtKey, 'EdDSA'), {}, jwtKey.kid),
    'another issuer': await sign('ES256', ours, { iss: 'https://evil.example' }),
    'another audience': await sign('ES256', ours, { aud: 'payment-tracking-api/production' }),
    'no request of its own': await sign('ES256', ours, { request: undefined }),
    'an end long ago': await sign('ES256', ours, { exp: NOW - 8 * DAY }),
    'no signature': `${head}.${body}.`,
    rubbish: 'a.b.c',
  }
  for (const [what, token] of Object.entries(forged)) t.equal((await refresh(token)).status, 401, what)
  t.equal((await post('refresh', '')).status, 401, 'no token')
  t.ok(Object.keys(refused).length + Object.keys(forged).length >= 40)
  for (const what of ['another wallet in the payload', 'no algorithm', "a stranger's key under our kid"])
    await t.rejects(verifier.verify(forged[what]!, me), what)
})
