// Who may see and change anything: tokens, sessions, forms, and notices.
import t from 'tap'
import { openOps, TOKEN } from './open-ops.js'
import { FORM, signIn } from './sign-in.js'

t.test('the dashboard', async t => {
  const ops = await openOps(t)
  const user = await signIn(ops)

  t.test('shows nothing without its token', async t => {
    const paths = [
      '/',
      '/dead-letters',
      '/dead-letters/1/bytes',
      '/failed-deliveries',
      '/queues',
      '/queues/api/queues',
    ]
    for (const url of paths) {
      t.equal((await ops.app.inject({ url })).statusCode, 401, url)
      const page = await ops.app.inject({ url, headers: { accept: 'text/html' } })
      t.equal(page.headers.location, '/sign-in', url)
      for (const cookie of ['ops_session=x', 'ops_session=zzzzzzzz.abc', `${user.cookie}x`])
        t.equal((await ops.app.inject({ url, headers: { cookie } })).statusCode, 401, cookie)
      const headers = { authorization: `Bearer ${TOKEN}` }
      t.not((await ops.app.inject({ url, headers })).statusCode, 401, `${url} with the token`)
    }
    const wrong = await ops.app.inject({
      method: 'POST',
      url: '/sign-in',
      headers: FORM,
      payload: 'token=wrong',
    })
    t.equal(wrong.statusCode, 401)
    t.notOk(wrong.headers['set-cookie'])
  })

  t.test('has a cookie for each port of a machine', async t => {
    const answer = await ops.app.inject({
      method: 'POST',
      url: '/sign-in',
      headers: { ...FORM, host: '127.0.0.1:3004' },
      payload: new URLSearchParams({ token: TOKEN }).toString(),
    })
    const cookie = String(answer.headers['set-cookie']).split(';')[0]!
    t.match(cookie, /^ops_session-3004=/)
    const at = async (host: string) =>
      (await ops.app.inject({ url: '/dead-letters', headers: { host, cookie } })).statusCode
    t.equal(await at('127.0.0.1:3004'), 200)
    t.equal(await at('127.0.0.1:3007'), 401)
  })

  t.test('ends a session on the server when its user signs out', async t => {
    const leaving = await signIn(ops)
    t.equal((await leaving.get('/dead-letters')).statusCode, 200)
    t.equal((await leaving.post('/sign-out', [['csrf', leaving.csrf]])).statusCode, 303)
    t.equal((await leaving.get('/dead-letters')).headers.location, '/sign-in', 'a copied cookie is nothing')
    t.equal((await user.get('/dead-letters')).statusCode, 200, 'another session goes on')
    const other = await ops.openAnother()
    const page = await other.inject({ url: '/dead-letters', headers: { cookie: leaving.cookie } })
    t.equal(page.statusCode, 401, 'nor on another process')
  })

  t.test('limits wrong passwords and tokens by address, and lets other addresses in', async t => {
    const guess = (from: string, token = 'wrong') =>
      ops.app.inject({
        method: 'POST',
        url: '/sign-in',
        remoteAddress: from,
        headers: FORM,
        payload: new URLSearchParams({ token }).toString(),
      })
    for (let n = 0; n < 10; n++) t.equal((await guess('198.51.100.1')).statusCode, 401)
    t.equal((await guess('198.51.100.1', TOKEN)).statusCode, 429, 'also with the right one')
    t.equal((await guess('198.51.100.2', TOKEN)).statusCode, 303, 'another address signs in')
    const ask = (from: string, token: string) =>
      ops.app.inject({ url: '/', remoteAddress: from, headers: { authorization: `Bearer ${token}` } })
    for (let n = 0; n < 10; n++) t.equal((await ask('198.51.100.3', 'wrong')).statusCode, 401)
    const refused = await ask('198.51.100.3', TOKEN)
    t.equal(refused.statusCode, 429)
    t.match(refused.json(), { success: false, code: 'RATE_LIMITED', error: String, requestId: String })
    t.equal((await ask('198.51.100.4', TOKEN)).statusCode, 200)
    for (let n = 0; n < 10; n++) await guess(`2001:db8:1:2::${n}`)
    t.equal((await guess('2001:db8:1:2:ffff::1', TOKEN)).statusCode, 429, 'a network of IPv6 is one address')
  })

  t.test('shows no notice that it did not sign for this session', async t => {
    for (const path of ['/dead-letters', '/failed-deliveries']) {
      const page = await user.get(`${path}?notice=${encodeURIComponent('Call 0800 now')}&signed=x`)
      t.equal(page.statusCode, 200)
      t.notMatch(page.body, 'Call 0800', path)
    }
    const done = await user.post('/failed-deliveries/redeliver', [['csrf', user.csrf]])
    const location = String(done.headers.location)
    t.match((await user.get(location)).body, '0 of 0 are due now.')
    const another = await signIn(ops)
    t.notMatch((await another.get(location)).body, 'are due now', 'nor the one of another session')
  })

  t.test('keeps its session in a cookie that other sites and scripts cannot read', t => {
    const cookie = String(user.answer.headers['set-cookie'])
    for (const trait of ['HttpOnly', 'SameSite=Strict', 'Path=/']) t.match(cookie, trait)
    t.notOk(cookie.includes(TOKEN))
    t.end()
  })

  t.test('changes nothing for a form of another site or without its CSRF token', async t => {
    const id = await ops.addDeadLetter({ bytes: Buffer.from('x') })
    const right: [string, string][] = [
      ['id', id],
      ['csrf', user.csrf],
    ]
    const foreign = [{ origin: 'https://evil.example', host: 'ops' }, { 'sec-fetch-site': 'cross-site' }]
    for (const headers of foreign)
      t.equal(
        (await user.post('/dead-letters/replay', right, headers)).statusCode,
        403,
        JSON.stringify(headers),
      )
    for (const path of [
      '/dead-letters/replay',
      '/dead-letters/replay-all',
      '/failed-deliveries/redeliver',
      '/sign-out',
    ]) {
      t.equal((await user.post(path, [['id', id]])).statusCode, 403, path)
      t.equal(
        (
          await user.post(path, [
            ['id', id],
            ['csrf', 'guess'],
          ])
        ).statusCode,
        403,
        path,
      )
    }
    const { rows } = await ops.database.pool.query('select replayed_at from dead_letters where id = $1', [id])
    t.equal(rows[0].replayed_at, null)
  })
})

t.test('the cookie is for https alone when the client used https', async t => {
  const ops = await openOps(t, { TRUST_PROXY: 'on' })
  const cookieOver = async (protocol: string) => {
    const answer = await ops.app.inject({
      method: 'POST',
      url: '/sign-in',
      headers: { 'x-forwarded-proto': protocol, 'content-type': 'application/x-www-form-urlencoded' },
      payload: `token=${encodeURIComponent(TOKEN)}`,
    })
    return String(answer.headers['set-cookie'])
  }
  t.match(await cookieOver('https'), /; Secure$/)
  t.notMatch(await cookieOver('http'), /Secure/)
})
