import { createLocalJWKSet, jwtVerify } from 'jose'
import t from 'tap'
import { buildSignInNonces, type SignInText } from '../../src/gateway-auth/sign-in-nonce.js'
import { readSigningKeys } from '../../src/gateway-auth/signing-keys.js'
import { makeSigningKeys } from './make-signing-keys.js'
import {
  makeWallet,
  openGatewayApi,
  type GatewayApi,
  type TestGateway,
  type Wallet,
} from './open-gateway-api.js'

const JWT_PRIVATE_KEYS = makeSigningKeys()

const verify = (
  api: GatewayApi,
  gateway: TestGateway,
  proof: {
    wallet?: Wallet
    nonce: string
    send?: boolean
    signature?: unknown
    signer?: string
    from?: string
  },
  app = api.apps[0]!,
) => {
  const wallet = proof.wallet ?? gateway.authority
  return api.call('POST', `/v1/gateway/${gateway.address}/auth/verify`, {
    app,
    ...(proof.from === undefined ? {} : { from: proof.from }),
    body: {
      signer: proof.signer ?? wallet.publicKey,
      signature: proof.signature ?? wallet.sign(proof.nonce),
      ...(proof.send === false ? {} : { nonce: proof.nonce }),
    },
  })
}

t.test('signing in', async t => {
  const api = await openGatewayApi(t, { pods: 2, settings: { JWT_PRIVATE_KEYS } })

  t.test('a nonce states its purpose, and its signature gives a token of this environment', async t => {
    const gateway = await api.addGateway()
    const { status, body } = await api.call('POST', `/v1/gateway/${gateway.address}/auth/challenge`)
    t.equal(status, 200)
    t.equal(body.gateway, gateway.address)
    for (const part of ['payment-tracking', 'production', gateway.address, body.expiresAt])
      t.ok(body.nonce.includes(part), part)
    const left = Date.parse(body.expiresAt) - Date.now()
    t.ok(left > 50_000 && left <= 60_000)
    const signed = await verify(api, gateway, { nonce: body.nonce })
    t.equal(signed.status, 200)
    t.equal(signed.body.expiresIn, 900)
    const keys = await api.call('GET', '/.well-known/jwks.json')
    t.notOk('d' in keys.body.keys[0], 'no private key is published')
    const { payload, protectedHeader } = await jwtVerify(signed.body.token, createLocalJWKSet(keys.body), {
      issuer: 'payment-tracking/production',
      audience: 'payment-tracking-api/production',
    })
    t.match(payload, { gateway: gateway.address, sub: gateway.authority.publicKey })
    t.match(protectedHeader, { alg: 'EdDSA', kid: keys.body.keys[0].kid })
    t.equal(payload.exp! - payload.iat!, 900)
  })

  t.test('a nonce begins with the site, as "Sign in with Solana" writes it', async t => {
    const gateway = await api.addGateway()
    const path = `/v1/gateway/${gateway.address}/auth/challenge`
    const signer = makeWallet().publicKey
    const { body } = await api.call('POST', path, { headers: { host: '127.0.0.1:3002' }, body: { signer } })
    t.match(
      body.nonce,
      new RegExp(
        `^127\\.0\\.0\\.1:3002 wants you to sign in with your Solana account:\n${signer}\n\n` +
          `Sign in to payment-tracking-api \\(production\\) as gateway ${gateway.address}\\.\n\n` +
          'URI: http://127\\.0\\.0\\.1:3002\nVersion: 1\nNonce: [\\da-f]{96}\n' +
          `Issued At: \\S+Z\nExpiration Time: ${body.expiresAt}$`,
      ),
    )
    t.match((await api.call('POST', path)).body.nonce, `account:\n${gateway.authority.publicKey}\n`)
  })

  t.test('a challenge needs no body, even when the client declares a JSON body', async t => {
    const gateway = await api.addGateway()
    const url = `/v1/gateway/${gateway.address}/auth/challenge`
    const answer = await api.apps[0]!.inject({
      method: 'POST',
      url,
      headers: { 'content-type': 'application/json' },
    })
    t.equal(answer.statusCode, 200)
    const verify = { method: 'POST', url: url.replace('challenge', 'verify') } as const
    for (const payload of ['', '{', '[]', '{"__proto__": 1}', '{}']) {
      const refused = await api.apps[0]!.inject({
        ...verify,
        headers: { 'content-type': 'application/json' },
        payload,
      })
      t.equal(refused.statusCode, 400, payload)
    }
  })

  t.test('a signature may be bytes or base58; without nonce the newest matching nonce counts', async t => {
    const gateway = await api.addGateway()
    await api.challenge(gateway)
    const nonce = await api.challenge(gateway)
    await api.challenge(gateway)
    const answer = await verify(api, gateway, {
      nonce,
      send: false,
      signature: gateway.authority.signBytes(nonce),
    })
    t.equal(answer.status, 200)
    t.equal((await verify(api, gateway, { nonce, send: false })).status, 401, 'and is spent')
  })

  t.test('a nonce can be used once, even when pods race for it', async t => {
    const gateway = await api.addGateway()
    const nonce = await api.challenge(gateway)
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, n) => verify(api, gateway, { nonce }, api.apps[n % 2])),
    )
    t.equal(answers.filter(({ status }) => status === 200).length, 1)
    t.equal(answers.filter(({ status }) => status === 401).length, 9)
  })

  t.test('every failure is 401 and uses no nonce up', async t => {
    const gateway = await api.addGateway()
    const other = await api.addGateway()
    const nonce = await api.challenge(gateway)
    const stranger = makeWallet()
    const { authority } = gateway
    const failures = {
      'a stranger': { wallet: stranger },
      'a stranger in the name of the authority': { wallet: stranger, signer: authority.publicKey },
      'another text': { signature: authority.sign('another text') },
      'no base58': { signature: '0OIl' },
      'a short signature': { signature: [1, 2, 3] },
      'a long signature': { signature: Array<number>(65).fill(1) },
      'bytes out of range': { signature: Array<number>(64).fill(256) },
      'a signer that is no key': { signer: 'x' },
    }
    for (const [what, failure] of Object.entries(failures)) {
      const { status, body } = await verify(api, gateway, { nonce, ...failure })
      t.equal(status, 401, what)
      t.equal(body.code, 'SIGN_IN_REFUSED')
    }
    t.equal((await verify(api, other, { nonce })).status, 401, "another gateway's nonce")
    t.equal((await verify(api, gateway, { nonce: `${nonce}x` })).status, 401, 'an unknown nonce')
    t.equal((await verify(api, gateway, { nonce })).status, 200, 'the nonce still works')
  })

  t.test('strangers who request nonces from many addresses do not lock the owner out', async t => {
    const gateway = await api.addGateway()
    const nonce = await api.challenge(gateway, '192.0.2.10')
    const kept = async () => (await api.redis.client.keys('*nonces*')).length
    const before = await kept()
    for (let stranger = 0; stranger < 21; stranger++) {
      for (let n = 0; n < 21; n++) await api.challenge(gateway, `198.51.100.${stranger}`)
    }
    t.equal(await kept(), before + 21, 'one list an address is all that is kept')
    t.equal((await verify(api, gateway, { nonce, send: false, from: '192.0.2.10' })).status, 200)
    const another = await api.challenge(gateway, '192.0.2.11')
    t.equal((await verify(api, gateway, { nonce: another, from: '203.0.113.9' })).status, 200, 'anywhere')
    for (const key of await api.redis.client.keys('*nonces*')) {
      const leftMs = await api.redis.client.pttl(key)
      t.ok(leftMs > 0 && leftMs <= 120_000, `${key} is forgotten after ${leftMs} ms`)
    }
  })

  t.test('only an unexpired nonce of this deployment and this gateway can be signed', async t => {
    const gateway = await api.addGateway()
    const other = await api.addGateway()
    const { nonceKeys } = await readSigningKeys(JWT_PRIVATE_KEYS)
    const ours = buildSignInNonces('production', nonceKeys)
    const soon = new Date(Date.now() + 30_000)
    const textOf = (more: Partial<SignInText> = {}): SignInText => ({
      origin: 'http://127.0.0.1:3002',
      signer: gateway.authority.publicKey,
      gateway: gateway.address,
      issuedAt: new Date(Date.now() - 1_000),
      expiresAt: soon,
      ...more,
    })
    const good = ours.make(textOf())
    const later = new Date(soon.getTime() + 60_000).toISOString()
    for (const [what, nonce] of Object.entries({
      'an expired one': ours.make(textOf({ expiresAt: new Date(Date.now() - 1) })),
      "another gateway's": ours.make(textOf({ gateway: other.address })),
      "another environment's": buildSignInNonces('devnet', nonceKeys).make(textOf()),
      "another deployment's": buildSignInNonces('production', [Buffer.alloc(32)]).make(textOf()),
      'one with a later end': good.replace(soon.toISOString(), later),
      "another site's": ours.make(textOf({ origin: 'https://evil.example' })),
      'one that names another site': good.replaceAll('127.0.0.1:3002', 'localhost:3002'),
      'one whose first line names another site': good.replace('127.0.0.1:3002', 'localhost:3002'),
      'one with a line before it': `evil.example\n${good}`,
      'one without its MAC': good.replace(/(Nonce: .{32}).{64}/, '$1'),
      'one with another MAC': good.replace(/(Nonce: .{32}).{64}/, `$1${'0'.repeat(64)}`),
      'any text': 'hello',
      'no text': '',
    })) {
      t.equal((await verify(api, gateway, { nonce })).status, 401, what)
    }
    t.equal((await verify(api, gateway, { nonce: good })).status, 200, 'the good one')
    t.equal((await verify(api, gateway, { nonce: good })).status, 401, 'once')
  })

  const setOrder = ({ address }: { address: string }, column: string, order: string) =>
    api.database.pool.query(`update gateways set ${column} = $2 where address = $1`, [address, order])

  t.test('a gateway that is unknown or deleted has no challenge and no sign-in', async t => {
    const unknown = { address: makeWallet().publicKey, authority: makeWallet() }
    t.equal((await api.call('POST', `/v1/gateway/${unknown.address}/auth/challenge`)).status, 404)
    t.equal((await api.call('POST', '/v1/gateway/nonsense/auth/challenge')).status, 400)
    const gateway = await api.addGateway()
    const nonce = await api.challenge(gateway)
    await setOrder(gateway, 'deleted_order', '0002')
    t.equal((await verify(api, gateway, { nonce })).status, 401)
    t.equal((await api.call('POST', `/v1/gateway/${gateway.address}/auth/challenge`)).status, 404)
  })

  t.test('the current signer may sign in; its predecessor may not, and its token dies', async t => {
    const gateway = await api.addGateway()
    const [first, second] = [makeWallet(), makeWallet()]
    const setSigner = (wallet: Wallet, order: string) =>
      api.database.pool.query('update gateways set signer = $2, signer_order = $3 where address = $1', [
        gateway.address,
        wallet.publicKey,
        order,
      ])
    const list = (token: string) => api.call('GET', '/v1/webhooks', { token })
    await setSigner(first, '0002')
    const token = await api.signIn(gateway, first)
    const ofAuthority = await api.signIn(gateway)
    t.equal((await list(token)).status, 200)
    await setSigner(second, '0003')
    t.equal((await list(token)).status, 401)
    t.equal((await list(ofAuthority)).status, 200, 'the authority remains')
    t.equal((await list(await api.signIn(gateway, second))).status, 200)
    await setSigner(first, '00031')
    t.equal((await list(token)).status, 401, 'a signer that comes back does not revive its token')
    t.equal((await list(await api.signIn(gateway, first))).status, 200)
    await setSigner(second, '00032')
    t.equal((await verify(api, gateway, { wallet: first, nonce: await api.challenge(gateway) })).status, 401)
    await setOrder(gateway, 'deleted_order', '0004')
    t.equal((await list(ofAuthority)).status, 401, 'with its gateway, a token dies')
    await setOrder(gateway, 'incarnation_start', '0005')
    t.equal(
      (await verify(api, gateway, { wallet: second, nonce: await api.challenge(gateway) })).status,
      401,
      'a signer of an earlier incarnation is nobody',
    )
  })
})

t.test('a gateway signs in at the sites of PUBLIC_ORIGINS, and at no other', async t => {
  const settings = { PUBLIC_ORIGINS: 'https://pay.example, https://console.example:8443' }
  const api = await openGatewayApi(t, { settings })
  const gateway = await api.addGateway()
  const path = `/v1/gateway/${gateway.address}/auth`
  const ask = (headers: Record<string, string>) => api.call('POST', `${path}/challenge`, { headers })
  const siteOf = async (headers: Record<string, string>) => (await ask(headers)).body.nonce.split(' ')[0]
  t.equal(await siteOf({}), 'pay.example', 'programs sign for the first')
  t.equal(await siteOf({ host: 'evil.example' }), 'pay.example', 'who asks does not choose')
  t.equal(await siteOf({ 'x-forwarded-host': 'evil.example' }), 'pay.example')
  t.equal(await siteOf({ origin: 'https://console.example:8443' }), 'console.example:8443')
  for (const origin of ['https://evil.example', 'http://pay.example', 'http://localhost:3002', 'null', '']) {
    t.match(await ask({ origin }), { status: 403, body: { code: 'ORIGIN_REFUSED' } }, origin)
    const { nonce } = (await ask({})).body
    const body = { signer: gateway.authority.publicKey, signature: gateway.authority.sign(nonce), nonce }
    const proof = await api.call('POST', `${path}/verify`, { headers: { origin }, body })
    t.equal(proof.status, 403, origin)
  }
  t.ok(await api.signIn(gateway))
  const local = await openGatewayApi(t)
  const forLocal = await local.addGateway()
  for (const [host, site] of Object.entries({
    'localhost:3002': 'localhost:3002',
    'evil.example': '127.0.0.1:3002',
    '127.0.0.1.evil.example': '127.0.0.1:3002',
    'localhost@evil.example': '127.0.0.1:3002',
  })) {
    const url = `/v1/gateway/${forLocal.address}/auth/challenge`
    const { body } = await local.call('POST', url, { headers: { host } })
    t.match(body.nonce, `${site} wants you`, host)
  }
  const other = `/v1/gateway/${forLocal.address}/auth/challenge`
  for (const origin of ['http://127.0.0.1:5173', 'http://localhost', 'http://[::1]:3002'])
    t.equal((await local.call('POST', other, { headers: { origin } })).status, 200, origin)
  for (const origin of [
    'http://127.0.0.1.evil.example',
    'https://pay.example',
    'http://localhost@evil.example',
  ])
    t.equal((await local.call('POST', other, { headers: { origin } })).status, 403, origin)
})

t.test("sign-in has a tenth of a client's requests", async t => {
  const api = await openGatewayApi(t, { settings: { RATE_LIMIT_MAX: '50' } })
  const gateway = await api.addGateway()
  const path = `/v1/gateway/${gateway.address}/auth/challenge`
  const statuses: number[] = []
  for (let n = 0; n < 6; n++) statuses.push((await api.call('POST', path)).status)
  t.strictSame(statuses, [200, 200, 200, 200, 200, 429])
  t.equal((await api.call('POST', path, { from: '192.0.2.7' })).status, 200)
})

t.test('without Redis, sign-in answers that it is unavailable', async t => {
  const api = await openGatewayApi(t)
  const gateway = await api.addGateway()
  const { openApi } = await import('../open-api.js')
  const alone = await openApi(t, { DATABASE_URL: api.database.url })
  const answer = await alone.app.inject({
    method: 'POST',
    url: `/v1/gateway/${gateway.address}/auth/challenge`,
  })
  t.equal(answer.statusCode, 503)
})
