// Sessions of browsers: what a cookie is, where it counts, what it may do, and when it ends. All ask one API with the same wallets, so
// it is one file of more than 300 lines.
import { countRows } from '@payment-tracking/testkit'
import t from 'tap'
import { makeWallet, openGatewayApi, type CallAnswer, type GatewayApi } from './open-gateway-api.js'

const HOST = '127.0.0.1:3002'
/** What a browser says of a request of the console. */
const OWN_PAGE = { host: HOST, origin: `http://${HOST}`, 'sec-fetch-site': 'same-origin' }

const cookieOf = ({ headers }: CallAnswer) => /^([^;]*)/.exec(String(headers['set-cookie']))![1]!

t.test('sessions', async t => {
  const api = await openGatewayApi(t)
  const { pool } = api.database
  const owner = await api.addGateway()
  const open = async (
    options: { token?: string; body?: unknown; headers?: Record<string, string> },
    of: GatewayApi = api,
  ) => {
    const { headers, ...sent } = options
    const answer = await of.call('POST', '/v1/session', { ...sent, headers: { ...OWN_PAGE, ...headers } })
    return { answer, cookie: cookieOf(answer) }
  }
  const prove = async (gateway = owner, wallet = gateway.authority) => {
    const nonce = await api.challenge(gateway)
    return {
      gateway: gateway.address,
      signer: wallet.publicKey,
      signature: wallet.sign(nonce),
      nonce,
    }
  }
  const openByWallet = async (gateway = owner) => open({ body: await prove(gateway) })
  const makeKey = async (scopes: string[], token?: string) =>
    (
      await api.call('POST', '/v1/api-keys', {
        token: token ?? (await api.signIn(owner)),
        body: { name: 'k', scopes },
      })
    ).body as { id: number; key: string }
  const use = (cookie: string, path = '/v1/webhooks', headers: Record<string, string> = {}) =>
    api.call('GET', path, { headers: { ...OWN_PAGE, cookie, ...headers } })
  const who = async (cookie: string) => (await use(cookie, '/v1/session')).body.session
  const countOf = (gateway = owner) =>
    countRows(pool, 'gateway_sessions where gateway = $1', [gateway.address])

  t.test('a signed nonce signs in, once; the service keeps only the hash of the cookie', async t => {
    const body = await prove()
    const { answer, cookie } = await open({ body })
    t.equal(answer.status, 201, JSON.stringify(answer.body))
    t.match(answer.body, { gateway: owner.address, signer: owner.authority.publicKey, scopes: null })
    t.match(answer.headers['cache-control'], /no-store/)
    t.match(
      answer.headers['set-cookie'],
      /^session-production-3002=[\w-]{43}; Max-Age=\d{7}; Path=\/; HttpOnly; SameSite=Strict$/,
    )
    const secret = cookie.split('=')[1]!
    t.notOk(JSON.stringify(answer.body).includes(secret), 'no script reads it from the answer')
    const rows = JSON.stringify((await pool.query('select s::text from gateway_sessions s')).rows)
    t.notOk(rows.includes(secret) || api.logs.some(line => line.includes(secret)))
    t.equal((await use(cookie)).status, 200)
    t.same(await who(cookie), answer.body)
    const made = await api.call('POST', '/v1/api-keys', {
      headers: { ...OWN_PAGE, cookie },
      body: { name: 'made by a session', scopes: ['merchant:read'] },
    })
    t.equal(made.status, 201, 'a wallet’s session may do what a wallet may')
    t.equal((await open({ body })).answer.status, 401, 'the nonce was used')
  })

  t.test('over https the cookie is of this host alone and never sent in the clear', async t => {
    const secure = await openGatewayApi(t, { settings: { PUBLIC_ORIGINS: 'https://pay.example' } })
    const gateway = await secure.addGateway()
    const headers = { host: 'pay.example', origin: 'https://pay.example' }
    const token = await secure.signIn(gateway)
    const { answer, cookie } = await open({ token, headers }, secure)
    t.match(
      answer.headers['set-cookie'],
      /^__Host-session-production=[\w-]{43}; Max-Age=\d{3}; Path=\/; HttpOnly; SameSite=Strict; Secure$/,
    )
    const read = (cookie: string) => secure.call('GET', '/v1/webhooks', { headers: { ...headers, cookie } })
    t.equal((await read(cookie)).status, 200)
    t.equal((await read(cookie.replace('__Host-', ''))).status, 401, 'nor does one that a subdomain plants')
    for (const origin of ['http://pay.example', 'https://pay.example:8443', 'https://evil.example', 'null'])
      t.match(
        (await open({ token, headers: { ...headers, origin } }, secure)).answer,
        { status: 403, body: { code: 'ORIGIN_REFUSED' }, headers: { 'set-cookie': undefined } },
        origin,
      )
  })

  t.test('signing in at another stack of the machine signed out at this one', async t => {
    const token = await api.signIn(owner)
    // A browser keeps one jar for all ports of a host.
    const jar = new Map<string, string>()
    for (const port of ['3002', '3005']) {
      const here = { host: `127.0.0.1:${port}`, origin: `http://127.0.0.1:${port}` }
      const { cookie } = await open({ token, headers: here })
      const [name = '', value = ''] = cookie.split('=')
      jar.set(name, value)
    }
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
    const idAt = async (port: string) => {
      const headers = { host: `127.0.0.1:${port}`, origin: `http://127.0.0.1:${port}` }
      const { status, body } = await use(cookie, '/v1/session', headers)
      t.equal(status, 200)
      return body.session as unknown
    }
    t.ok(await idAt('3002'), 'signed in at the first')
    t.ok(await idAt('3005'), 'and at the second')
    t.notOk(await idAt('3006'), 'a third has a cookie of neither')
    const gone = await api.call('DELETE', '/v1/session', {
      headers: { ...OWN_PAGE, host: '127.0.0.1:3005', origin: 'http://127.0.0.1:3005', cookie },
    })
    t.match(gone.headers['set-cookie'], /^session-production-3005=; Max-Age=0;/)
    t.ok(await idAt('3002'), 'signing out at one leaves the other')
  })

  t.test('a proxy that adds the default port to the host changes nothing', async t => {
    const token = await api.signIn(owner)
    for (const [origin, host, status] of [
      ['http://shop.example', 'shop.example:80', 201],
      ['https://shop.example', 'Shop.example:443', 201],
      ['https://shop.example', 'shop.example:80', 403],
      ['https://shop.example', 'shop.example:8443', 403],
    ] as const)
      t.equal((await open({ token, headers: { origin, host } })).answer.status, status, `${origin} ${host}`)
  })

  t.test('a page of another site does nothing with the cookie, and reads nothing', async t => {
    const { cookie } = await openByWallet()
    const before = (await api.call('GET', '/v1/api-keys', { headers: { ...OWN_PAGE, cookie } })).body.length
    const foreign: [string, Record<string, string>][] = [
      ['another site', { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }],
      ['another site that hides its origin', { origin: 'null', 'sec-fetch-site': 'cross-site' }],
      ['an old browser at another site', { origin: 'https://evil.example' }],
      ['a neighbour', { origin: 'http://127.0.0.1:5000', 'sec-fetch-site': 'same-site' }],
      ['an old browser at a neighbour', { origin: 'http://127.0.0.1:5000' }],
    ]
    for (const [what, said] of [
      ...foreign,
      ['nobody says', {}] as const,
      ['an address typed', { 'sec-fetch-site': 'none' }] as const,
    ])
      for (const [method, path, body] of [
        ['POST', '/v1/api-keys', { name: 'stolen', scopes: ['webhooks:write'] }],
        ['DELETE', `/v1/webhooks/gateway/${owner.address}`, undefined],
        ['DELETE', '/v1/session', undefined],
        ['POST', '/v1/session', await prove()],
      ] as const) {
        const answer = await api.call(method, path, { headers: { host: HOST, cookie, ...said }, body })
        t.match(answer, { status: 403, body: { code: 'ORIGIN_REFUSED' } }, `${method} ${path} by ${what}`)
        t.notOk(answer.headers['set-cookie'], what)
      }
    for (const [what, headers] of foreign) {
      const answer = await api.call('GET', '/v1/webhooks', { headers: { host: HOST, cookie, ...headers } })
      t.match(answer, { status: 403, body: { code: 'ORIGIN_REFUSED' } }, what)
    }
    for (const headers of [{}, { 'sec-fetch-site': 'none' }])
      t.equal(
        (await api.call('GET', '/v1/webhooks', { headers: { host: HOST, cookie, ...headers } })).status,
        200,
      )
    const after = await api.call('GET', '/v1/api-keys', { headers: { ...OWN_PAGE, cookie } })
    t.equal(after.body.length, before, 'nothing was made')
    for (const method of ['GET', 'POST'] as const) {
      const { headers } = await api.call(method, '/v1/session', {
        headers: { cookie, origin: 'https://evil.example' },
      })
      t.equal(headers['access-control-allow-origin'], '*')
      t.notOk('access-control-allow-credentials' in headers, 'CORS never takes a cookie along')
    }
  })

  t.test('a sign-in gives a new cookie and ends the one that was there', async t => {
    const first = await openByWallet()
    const planted = `session-production-3002=${'A'.repeat(43)}`
    const second = await open({ body: await prove(), headers: { cookie: planted } })
    t.not(second.cookie, planted, 'the browser’s choice is no session')
    t.equal(await who(planted), null)
    const third = await open({ body: await prove(), headers: { cookie: first.cookie } })
    t.not(third.cookie, first.cookie)
    t.equal(await who(first.cookie), null, 'who knew the old cookie is out')
    t.ok(await who(third.cookie))
  })

  t.test('signing out ends the session on the server', async t => {
    const { cookie } = await openByWallet()
    const another = await openByWallet()
    const out = await api.call('DELETE', '/v1/session', { headers: { ...OWN_PAGE, cookie } })
    t.equal(out.status, 204)
    t.match(out.headers['set-cookie'], /^session-production-3002=; Max-Age=0; Path=\/; HttpOnly/)
    t.equal(await who(cookie), null)
    t.match(await use(cookie), {
      status: 401,
      body: { code: 'UNAUTHORIZED', error: 'The session has ended. Please sign in again.' },
    })
    t.ok(await who(another.cookie), 'another browser stays signed in')
    t.equal((await api.call('DELETE', '/v1/session', { headers: { ...OWN_PAGE, cookie } })).status, 204)
  })

  t.test('an API key alone signs in, for its scopes, until it is revoked or expires', async t => {
    const { id, key } = await makeKey(['webhooks:read'])
    const { answer, cookie } = await open({ token: key })
    t.match(answer, { status: 201, body: { gateway: owner.address, scopes: ['webhooks:read'] } })
    t.equal((await use(cookie)).status, 200)
    t.match(await use(cookie, '/v1/api-keys'), { status: 403, body: { code: 'SIGN_IN_REQUIRED' } })
    const outOfScope = await use(cookie, `/v1/gateway/${owner.address}/merchant/policies`)
    t.match(outOfScope, { status: 403, body: { code: 'SCOPE_MISSING' } })
    const token = await api.signIn(owner)
    t.equal((await api.call('DELETE', `/v1/api-keys/${id}`, { token })).status, 204)
    t.equal((await use(cookie)).status, 401, 'revoked')
    t.equal(await who(cookie), null)
    const other = await makeKey(['webhooks:read'])
    const session = await open({ token: other.key })
    await pool.query(`update api_keys set expires_at = now() + interval '1 h' where id = $1`, [other.id])
    const { expiresAt } = await who(session.cookie)
    t.ok(Date.parse(expiresAt) <= Date.now() + 3_600_000, 'it says when the key ends')
    await pool.query(`update api_keys set expires_at = now() - interval '1 s' where id = $1`, [other.id])
    t.equal(await who(session.cookie), null, 'expired')
    await pool.query('delete from api_keys where id = $1', [other.id])
    t.equal(await who(session.cookie), null, 'removed')
  })

  t.test('the session of a token ends with the token, however it is used', async t => {
    const { answer, cookie } = await open({ token: await api.signIn(owner) })
    const left = Date.parse(answer.body.expiresAt) - Date.now()
    t.ok(left > 800_000 && left <= 900_000, String(left))
    t.equal(answer.body.endsAt, answer.body.expiresAt)
    await pool.query(`update gateway_sessions set used_at = now() - interval '10 min'`)
    t.equal((await who(cookie)).expiresAt, answer.body.expiresAt)
    t.equal((await who(cookie)).endsAt, answer.body.expiresAt, 'use does not carry it further')
  })

  t.test('use renews a session, up to its end', async t => {
    const { cookie, answer } = await openByWallet()
    const hours = (at: string) => Math.round((Date.parse(at) - Date.now()) / 3_600_000)
    t.same([hours(answer.body.endsAt), hours(answer.body.expiresAt)], [48, 14 * 24])
    const set = (change: string) =>
      pool.query(`update gateway_sessions set ${change} where gateway = $1`, [owner.address])
    await set(`ends_at = now() + interval '1 min'`)
    await use(cookie)
    t.equal(hours((await who(cookie)).endsAt), 0, 'which is written once a minute')
    await set(`used_at = now() - interval '61 s'`)
    t.equal((await use(cookie)).status, 200)
    t.equal(hours((await who(cookie)).endsAt), 48)
    const { endsAt } = await who(cookie)
    await use(cookie)
    t.equal((await who(cookie)).endsAt, endsAt)
    await set(`used_at = now() - interval '1 h', expires_at = now() + interval '2 h'`)
    await use(cookie)
    t.equal(hours((await who(cookie)).endsAt), 2)
    await set(`ends_at = now() - interval '1 s'`)
    t.equal((await use(cookie)).status, 401, 'a session that nobody used has ended')
    await openByWallet()
    t.equal(await countOf(), 1, 'the next sign-in removed those that were over')
  })

  t.test('a session ends with its wallet and its gateway', async t => {
    const gateway = await api.addGateway()
    const signer = makeWallet()
    const setSigner = (publicKey: string, order: string) =>
      pool.query('update gateways set signer = $2, signer_order = $3 where address = $1', [
        ...[gateway.address, publicKey, order],
      ])
    await setSigner(signer.publicKey, '0002')
    const { cookie } = await open({ body: await prove(gateway, signer) })
    t.ok(await who(cookie))
    await setSigner(makeWallet().publicKey, '0003')
    t.equal(await who(cookie), null)
    t.equal((await use(cookie)).status, 401)
    await setSigner(signer.publicKey, '0004')
    t.equal(await who(cookie), null, 'a signer that comes back does not revive it')
    const ofAuthority = await openByWallet(gateway)
    await pool.query(`update gateways set deleted_order = '0009' where address = $1`, [gateway.address])
    t.equal(await who(ofAuthority.cookie), null)
  })

  t.test('the oldest sessions of a credential end; a key ends none of a wallet', async t => {
    const gateway = await api.addGateway()
    const token = await api.signIn(gateway)
    const ofWallet = await openByWallet(gateway)
    const { key, id } = await makeKey(['merchant:read'], token)
    const ofKey: Awaited<ReturnType<typeof open>>[] = []
    for (let count = 0; count < 22; count++) ofKey.push(await open({ token: key }))
    t.same([await who(ofKey[0]!.cookie), await who(ofKey[1]!.cookie)], [null, null])
    t.ok(await who(ofKey[2]!.cookie))
    t.ok(await who(ofWallet.cookie))
    await Promise.all(Array.from({ length: 25 }, () => open({ token })))
    t.equal(await countOf(gateway), 40, 'also of sign-ins at one time')
    t.equal(await who(ofWallet.cookie), null)
    await api.call('DELETE', `/v1/api-keys/${id}`, { token })
    await open({ token })
    t.equal(await countOf(gateway), 20, 'those of a revoked key are removed')
  })

  t.test('what does not count says why, and gives no cookie', async t => {
    const revoked = await makeKey(['webhooks:read'])
    await api.call('DELETE', `/v1/api-keys/${revoked.id}`, { token: await api.signIn(owner) })
    const signed = await prove()
    for (const [sent, sentence] of [
      [{}, /^Sign in as a gateway first/],
      [{ token: 'tpk_abc' }, /neither a token nor a whole API key, which is ptk_ and 43 characters/],
      [{ token: `ptk_${'A'.repeat(43)}` }, /There was never such an API key/],
      [{ token: revoked.key }, /The API key was revoked/],
      [{ token: 'a.b.c' }, /The token is not valid, or it has expired/],
      [{ body: { link: 'A'.repeat(43) } }, /The link was used before, or its time is over/],
      [{ body: { ...signed, signer: makeWallet().publicKey } }, /The sign-in does not hold/],
    ] as const) {
      const { answer } = await open(sent)
      t.equal(answer.status, 401, JSON.stringify(sent))
      t.match(answer.body.error, sentence)
      t.notOk(answer.headers['set-cookie'])
    }
    for (const body of [{ link: 5 }, { signer: 'x' }, {}, { ...signed, signature: 5 }])
      t.equal((await open({ body })).answer.status, 400, JSON.stringify(body))
    t.equal((await open({ body: signed })).answer.status, 201, 'and no attempt used the nonce up')
  })

  t.test('a link signs in once, within its time, and gives no more than what made it', async t => {
    const link = async (sent: { token?: string; body?: unknown }) => {
      const { status, body } = await api.call('POST', '/v1/session/links', sent)
      t.equal(status, 201, JSON.stringify(body))
      return { ...body, link: body.path.split('#link=')[1] as string } as { link: string; expiresAt: string }
    }
    const made = await link({ body: await prove() })
    const left = Date.parse(made.expiresAt) - Date.now()
    t.ok(left > 800_000 && left <= 900_000, '15 minutes')
    t.equal(await who(`session-production-3002=${made.link}`), null, 'a link is no cookie')
    const rows = JSON.stringify((await pool.query('select s::text from gateway_sessions s')).rows)
    t.notOk(rows.includes(made.link))
    const tries = await Promise.all(Array.from({ length: 5 }, () => open({ body: { link: made.link } })))
    const opened = tries.filter(({ answer }) => answer.status === 201)
    t.equal(opened.length, 1, 'of five at one time')
    t.not(opened[0]!.cookie, `session-production-3002=${made.link}`)
    t.match(await who(opened[0]!.cookie), { gateway: owner.address, scopes: null })
    const key = await makeKey(['merchant:read'])
    const ofKey = await open({ body: { link: (await link({ token: key.key })).link } })
    t.same(ofKey.answer.body.scopes, ['merchant:read'])
    const ofToken = await open({ body: { link: (await link({ token: await api.signIn(owner) })).link } })
    t.ok(Date.parse(ofToken.answer.body.expiresAt) <= Date.now() + 900_000)
    const late = await link({ body: await prove() })
    await pool.query(`update gateway_sessions set ends_at = now() - interval '1 s' where is_link`)
    t.equal((await open({ body: { link: late.link } })).answer.status, 401)
  })

  t.test('a stranger’s link signed somebody in elsewhere without a question', async t => {
    const stranger = await api.addGateway()
    const makeLink = async (gateway = stranger) => {
      const { body } = await api.call('POST', '/v1/session/links', { token: await api.signIn(gateway) })
      return body.path.split('#link=')[1] as string
    }
    const { cookie } = await openByWallet()
    const link = await makeLink()
    const openLink = (body: object, headers = { cookie }) => open({ body, headers })
    for (const replace of [undefined, false]) {
      const { answer } = await openLink({ link, replace })
      t.match(answer, { status: 409, body: { code: 'SESSION_EXISTS', gateway: stranger.address } })
      t.notOk(answer.headers['set-cookie'])
    }
    t.match(await who(cookie), { gateway: owner.address }, 'who was signed in stays so')
    t.equal((await openLink({ link: await makeLink(owner) })).answer.status, 409, 'also for the same gateway')
    t.equal((await openLink({ link: 'A'.repeat(43) })).answer.status, 401, 'a link that does not count')
    const agreed = await openLink({ link, replace: true })
    t.match(agreed.answer, { status: 201, body: { gateway: stranger.address } })
    t.equal(await who(cookie), null, 'the session that was there has ended')
    const ended = { cookie: `session-production-3002=${'A'.repeat(43)}` }
    t.equal((await openLink({ link: await makeLink() }, ended)).answer.status, 201, 'of nobody signed in')
  })

  t.test('sessions are listed with how and when, and end one by one or all', async t => {
    const [gateway, other] = [await api.addGateway(), await api.addGateway()]
    const token = await api.signIn(gateway)
    const key = await makeKey(['merchant:read'], token)
    const ofOther = await openByWallet(other)
    const ofWallet = await openByWallet(gateway)
    const ofToken = await open({ token })
    const ofKey = await open({ token: key.key })
    const { body: linked } = await api.call('POST', '/v1/session/links', { token })
    const link = linked.path.split('#link=')[1] as string
    const ask = (method: 'GET' | 'DELETE', path: string, cookie: string) =>
      api.call(method, path, { headers: { ...OWN_PAGE, cookie } })
    const list = async () => (await ask('GET', '/v1/sessions', ofWallet.cookie)).body
    const signer = gateway.authority.publicKey
    const listed = await list()
    t.match(listed, [
      { how: 'link', opened: false, lastUsedAt: null, current: false },
      { how: 'api_key', opened: true, signer, apiKey: { id: key.id, name: 'k' }, current: false },
      { how: 'token', opened: true, apiKey: null, current: false },
      { how: 'wallet', opened: true, signer, apiKey: null, current: true },
    ])
    t.equal(listed.length, 4, 'of the gateway alone')
    for (const { createdAt, lastUsedAt, opened } of listed)
      t.ok(!opened || Date.parse(lastUsedAt) >= Date.parse(createdAt) - 1_000)
    await pool.query(`update gateway_sessions set used_at = now() - interval '1 h' where gateway = $1`, [
      gateway.address,
    ])
    await who(ofToken.cookie)
    const fresh = (await list()).find(({ how }: { how: string }) => how === 'token')
    t.ok(Date.parse(fresh.lastUsedAt) > Date.now() - 60_000, 'use is noted, also where it renews nothing')
    t.notMatch(JSON.stringify(listed), new RegExp(`${ofWallet.cookie.split('=')[1]}|${link}`))
    for (const method of ['GET', 'DELETE'] as const)
      t.match(await ask(method, '/v1/sessions', ofKey.cookie), {
        status: 403,
        body: { code: 'SIGN_IN_REQUIRED' },
      })

    const idOf = async (how: string) =>
      (await list()).find((each: { how: string }) => each.how === how)?.id as number | undefined
    const id = (await idOf('token'))!
    t.equal((await ask('DELETE', `/v1/sessions/${id}`, ofOther.cookie)).status, 404, 'of another gateway')
    t.equal((await ask('DELETE', `/v1/sessions/${id}`, ofWallet.cookie)).status, 204)
    t.equal((await ask('DELETE', `/v1/sessions/${id}`, ofWallet.cookie)).status, 404)
    t.same([await who(ofToken.cookie), await idOf('token')], [null, undefined])
    await api.call('DELETE', `/v1/api-keys/${key.id}`, { token })
    t.equal(await idOf('api_key'), undefined, 'a session that has ended with its key is none')
    const out = await ask('DELETE', '/v1/sessions', ofWallet.cookie)
    t.match(out, { status: 204, headers: { 'set-cookie': /Max-Age=0/ } })
    t.equal(await who(ofWallet.cookie), null)
    t.equal((await open({ body: { link } })).answer.status, 401, 'nor does the link sign in')
    t.match(await who(ofOther.cookie), { gateway: other.address }, 'another gateway stays signed in')
    t.match((await api.call('GET', '/v1/sessions', { token })).body, [], 'a token is no session, and stays')
  })

  t.test('a header wins over a cookie, and an open route does not mind one that has ended', async t => {
    const other = await api.addGateway()
    const [{ cookie }, token] = [await openByWallet(), await api.signIn(other)]
    const { body } = await api.call('POST', '/v1/webhooks', {
      token,
      headers: { ...OWN_PAGE, cookie },
      body: { gateway_pubkey: other.address, endpoint_url: 'https://shop.example/hook' },
    })
    t.equal(body.gateway_pubkey ?? body.gatewayPubkey, other.address)
    t.equal(
      (await api.call('GET', '/v1/webhooks', { token: 'x', headers: { ...OWN_PAGE, cookie } })).status,
      401,
    )
    const trace = `/v1/payments/${'5'.repeat(88)}/trace`
    const ended = `session-production-3002=${'A'.repeat(43)}`
    const { key } = await makeKey(['merchant:read'])
    const lacking = (await open({ token: key })).cookie
    for (const each of [cookie, ended, lacking]) t.equal((await use(each, trace)).status, 404, each)
    t.equal((await use(ended, '/v1/webhooks')).status, 401)
    t.equal((await use(ended, '/v1/events/count')).status, 200)
  })

  t.test('guesses are as few as sign-ins', async t => {
    const few = await openGatewayApi(t, { settings: { RATE_LIMIT_MAX: '50' } })
    const statuses: number[] = []
    for (let count = 0; count < 6; count++)
      statuses.push((await open({ body: { link: 'A'.repeat(43) } }, few)).answer.status)
    t.strictSame(statuses, [401, 401, 401, 401, 401, 429])
  })
})
