import { createLocalJWKSet, jwtVerify } from 'jose'
import { startService } from '@payment-tracking/testkit'
import t from 'tap'
import {
  makeWallet,
  openGatewayApi,
  type GatewayApi,
  type TestGateway,
  type Wallet,
} from './open-gateway-api.js'

const verify = (
  api: GatewayApi,
  gateway: TestGateway,
  proof: { wallet?: Wallet; nonce: string; send?: boolean; signature?: unknown; signer?: string },
  app = api.apps[0]!,
) => {
  const wallet = proof.wallet ?? gateway.authority
  return api.call('POST', `/v1/gateway/${gateway.address}/auth/verify`, {
    app,
    body: {
      signer: proof.signer ?? wallet.publicKey,
      signature: proof.signature ?? wallet.sign(proof.nonce),
      ...(proof.send === false ? {} : { nonce: proof.nonce }),
    },
  })
}

t.test('signing in', async t => {
  const api = await openGatewayApi(t, { pods: 2 })

  t.test('a nonce says what it is for, and its signature is a token of this environment', async t => {
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

  t.test('a challenge needs no body, also when a JSON body is announced', async t => {
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

  t.test('bytes are as good as base58, and without nonce the newest that fits is taken', async t => {
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

  t.test('a nonce is spent once, also when pods race for it', async t => {
    const gateway = await api.addGateway()
    const nonce = await api.challenge(gateway)
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, n) => verify(api, gateway, { nonce }, api.apps[n % 2])),
    )
    t.equal(answers.filter(({ status }) => status === 200).length, 1)
    t.equal(answers.filter(({ status }) => status === 401).length, 9)
  })

  t.test('every failure is 401 and spends nothing', async t => {
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

  t.test('a stranger can neither burn nor crowd out the nonce of an owner', async t => {
    const gateway = await api.addGateway()
    const nonce = await api.challenge(gateway, '192.0.2.10')
    for (let n = 0; n < 19; n++) await api.challenge(gateway, '192.0.2.66')
    const more = await api.call('POST', `/v1/gateway/${gateway.address}/auth/challenge`, {
      from: '192.0.2.66',
    })
    t.equal(more.status, 429)
    t.equal(more.body.code, 'TOO_MANY_CHALLENGES')
    t.ok(await api.challenge(gateway, '192.0.2.10'), 'the owner gets another all the same')
    t.equal((await verify(api, gateway, { nonce })).status, 200)
  })

  t.test('an expired nonce is gone', async t => {
    const gateway = await api.addGateway()
    const nonce = await api.challenge(gateway)
    const [key] = await api.redis.client.keys(`*{${gateway.address}}`)
    await api.redis.client.zadd(key!, Date.now() - 1, nonce)
    t.equal((await verify(api, gateway, { nonce })).status, 401)
    t.equal((await verify(api, gateway, { nonce, send: false })).status, 401)
  })

  t.test('a gateway that is unknown or deleted has no challenge and no sign-in', async t => {
    const unknown = { address: makeWallet().publicKey, authority: makeWallet() }
    t.equal((await api.call('POST', `/v1/gateway/${unknown.address}/auth/challenge`)).status, 404)
    t.equal((await api.call('POST', '/v1/gateway/nonsense/auth/challenge')).status, 400)
    const gateway = await api.addGateway()
    const nonce = await api.challenge(gateway)
    await api.database.pool.query(`update gateways set deleted_order = '0002' where address = $1`, [
      gateway.address,
    ])
    t.equal((await verify(api, gateway, { nonce })).status, 401)
    t.equal((await api.call('POST', `/v1/gateway/${gateway.address}/auth/challenge`)).status, 404)
  })

  t.test(
    'the current signer may sign in; its predecessor may not, and a token dies with its signer',
    async t => {
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
      t.equal(
        (await verify(api, gateway, { wallet: first, nonce: await api.challenge(gateway) })).status,
        401,
      )
      await api.database.pool.query(`update gateways set deleted_order = '0004' where address = $1`, [
        gateway.address,
      ])
      t.equal((await list(ofAuthority)).status, 401, 'with its gateway, a token dies')
      await api.database.pool.query(`update gateways set life_start = '0005' where address = $1`, [
        gateway.address,
      ])
      t.equal(
        (await verify(api, gateway, { wallet: second, nonce: await api.challenge(gateway) })).status,
        401,
        'a signer of an earlier life is nobody',
      )
    },
  )
})

t.test('sign-in has a tenth of the requests of a client', async t => {
  const api = await openGatewayApi(t, { settings: { RATE_LIMIT_MAX: '50' } })
  const gateway = await api.addGateway()
  const path = `/v1/gateway/${gateway.address}/auth/challenge`
  const statuses: number[] = []
  for (let n = 0; n < 6; n++) statuses.push((await api.call('POST', path)).status)
  t.strictSame(statuses, [200, 200, 200, 200, 200, 429])
  t.equal((await api.call('POST', path, { from: '192.0.2.7' })).status, 200)
})

t.test('without Redis sign-in says that it cannot', async t => {
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

t.test('the api does not start without its signing keys', async t => {
  const env = { DATABASE_URL: 'postgres://127.0.0.1:1/x', REDIS_URL: 'redis://127.0.0.1:1', PORT: '0' }
  const service = await startService(t, 'api', env, { waitUntilReady: false })
  t.equal(await service.exited, 1)
})
