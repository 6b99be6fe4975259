import { waitFor } from '@payment-tracking/testkit'
import t from 'tap'
import { openOps, TOKEN, type TestOps } from './open-ops.js'

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

/** Signs in with the form, as a browser does. */
async function signIn(ops: TestOps) {
  const answer = await ops.app.inject({
    method: 'POST',
    url: '/sign-in',
    headers: FORM,
    payload: new URLSearchParams({ token: TOKEN }).toString(),
  })
  const [cookie] = String(answer.headers['set-cookie']).split(';')
  const get = (url: string) =>
    ops.app.inject({ method: 'GET', url, headers: { cookie, accept: 'text/html' } })
  const csrf = /name="csrf" value="([^"]+)"/.exec((await get('/')).body)![1]!
  const post = (url: string, fields: [string, string][], headers: Record<string, string> = {}) =>
    ops.app.inject({
      method: 'POST',
      url,
      headers: { ...FORM, cookie, ...headers },
      payload: new URLSearchParams(fields).toString(),
    })
  return { answer, cookie, csrf, get, post }
}

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

  t.test('ends a session on the server when its user signs out', async t => {
    const leaving = await signIn(ops)
    t.equal((await leaving.get('/dead-letters')).statusCode, 200)
    t.equal((await leaving.post('/sign-out', [['csrf', leaving.csrf]])).statusCode, 303)
    t.equal(
      (await leaving.get('/dead-letters')).headers.location,
      '/sign-in',
      'a copy of the cookie is worth nothing',
    )
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

  t.test('escapes foreign bytes wherever they appear', async t => {
    const hostile = '<script>alert(1)</script>"\'><img src=x onerror=alert(2)>\u202e\u0000'
    const id = await ops.addDeadLetter({
      bytes: Buffer.from(hostile),
      subject: `a.${hostile.replace('\u0000', '')}`,
      reason: hostile.replace('\u0000', ''),
    })
    for (const url of [
      '/dead-letters',
      `/dead-letters/${id}`,
      `/dead-letters?code=${encodeURIComponent(hostile)}`,
    ]) {
      const page = await user.get(url)
      t.equal(page.statusCode, 200)
      t.notMatch(page.body, /<script|<img/i, url)
      t.notOk(page.body.includes('\u202e'), 'characters that reorder text are made visible')
      t.match(page.headers['content-security-policy'], "default-src 'none'")
    }
    const bytes = await user.get(`/dead-letters/${id}/bytes`)
    t.equal(bytes.body, hostile)
    t.equal(bytes.headers['content-type'], 'application/octet-stream')
    t.match(bytes.headers['content-disposition'], /^attachment/)
    t.equal(bytes.headers['x-content-type-options'], 'nosniff')
    await ops.database.pool.query('delete from dead_letters')
  })

  t.test('splits long lists into pages', async t => {
    const first = await ops.addDeadLetter({ bytes: Buffer.from('x'), code: 'BAD_SLOT', reason: 'the first' })
    for (let n = 0; n < 100; n++) await ops.addDeadLetter({ bytes: Buffer.from('x'), code: 'BAD_SLOT' })
    await ops.database.pool.query('update dead_letters set replayed_at = now()')
    const page = (await user.get('/dead-letters?code=BAD_SLOT&all=on')).body
    const older = /href="([^"]+)"\s*>older/.exec(page)![1]!.replaceAll('&amp;', '&')
    t.match((await user.get(older)).body, `/dead-letters/${first}"`, 'replayed ones too, as before')
    await ops.database.pool.query('delete from dead_letters')
  })

  t.test('replays dead letters byte for byte, one or all of a code, and marks them', async t => {
    const bytes = Buffer.from([0, 255, 123, 10])
    const one = await ops.addDeadLetter({ bytes })
    await ops.addDeadLetter({ bytes: Buffer.from('two'), code: 'BAD_SLOT' })
    await ops.addDeadLetter({ bytes: Buffer.from('three'), code: 'BAD_SLOT' })
    await ops.addDeadLetter({ bytes: Buffer.from('cut'), code: 'BAD_SLOT', size: 99_999 })
    await ops.addDeadLetter({ bytes: Buffer.from('away'), code: 'BAD_SLOT', subject: 'other.subject' })
    const csrf: [string, string] = ['csrf', user.csrf]
    const single = await user.post('/dead-letters/replay', [['id', one], csrf])
    t.equal(single.statusCode, 303)
    t.match((await user.get(String(single.headers.location))).body, 'Replayed 1 of 1.')
    const all = await user.post('/dead-letters/replay-all', [['code', 'BAD_SLOT'], csrf])
    t.match((await user.get(String(all.headers.location))).body, 'Replayed 2 of 4.')
    const manager = await ops.nats.connection.jetstreamManager()
    const messages = [1, 2, 3].map(seq => manager.streams.getMessage(ops.nats.stream, { seq }))
    const stored = (await Promise.all(messages)).map(({ data }) => Buffer.from(data))
    t.strictSame(stored, [bytes, Buffer.from('two'), Buffer.from('three')])
    t.equal((await manager.streams.info(ops.nats.stream)).state.messages, 3)
    const { rows } = await ops.database.pool.query(
      'select count(*)::int as n from dead_letters where replayed_at is null',
    )
    t.equal(rows[0].n, 2)
  })

  t.test('shows the gaps of stream and chain, and closes gaps of the stream', async t => {
    const { pool } = ops.database
    const { rows } = await pool.query<{ id: string }>(
      `insert into stream_gaps (stream, stream_created_at, from_sequence, to_sequence)
       values ('CHAIN_EVENTS', now(), 6, 25) returning id`,
    )
    await pool.query(
      `insert into gaps (signature, from_slot, to_slot, reason) values ('<b>', 7, 9, 'a line was cut')`,
    )
    t.match((await user.get('/')).body, /open stream gaps/)
    t.match((await user.get('/dead-letters')).body, /7 to 9[^]*&lt;b&gt;[^]*a line was cut[^]*open/)
    const open = (await user.get('/stream-gaps')).body
    t.match(open, /6 to 25/)
    t.match(open, /<button>Close/)
    const id = rows[0]!.id
    t.equal(
      (await user.post('/stream-gaps/close', [['id', id]])).statusCode,
      403,
      'not without its CSRF token',
    )
    await user.post('/stream-gaps/close', [
      ['csrf', user.csrf],
      ['id', id],
    ])
    t.notMatch((await user.get('/stream-gaps')).body, /<button>Close/)
  })

  t.test('finds failed deliveries by filters, and shows each with its attempts', async t => {
    const id = await ops.addFailedDelivery()
    await ops.database.pool.query(
      `insert into delivery_attempts (delivery_id, number, started_at, finished_at, outcome, status_code, response_body)
       values ($1, 1, now(), now(), 'refused', 500, '<b>broken</b>')`,
      [id],
    )
    const list = async (query: string) => (await user.get(`/failed-deliveries?${query}`)).body
    for (const query of ['gateway=gateway', 'endpoint=shop.example', 'error=timeout', 'error=&gateway='])
      t.match(await list(query), `/failed-deliveries/${id}`, query)
    for (const query of ['gateway=another', 'endpoint=other.example', 'error=tls'])
      t.notMatch(await list(query), `/failed-deliveries/${id}`, query)
    const page = (await user.get(`/failed-deliveries/${id}`)).body
    t.match(page, '&lt;b&gt;broken&lt;/b&gt;')
    t.match(page, 'https://shop.example/&lt;hook&gt;')
    await ops.database.pool.query('delete from delivery_attempts where delivery_id = $1', [id])
    await ops.database.pool.query('delete from deliveries where id = $1', [id])
  })

  t.test('shows how far ingest is behind, as soon as there is a consumer', async t => {
    t.match((await user.get('/')).body, 'Not known: there is no stream, no consumer')
    const manager = await ops.nats.connection.jetstreamManager()
    const name = 'ingest'
    await manager.consumers.add(ops.nats.stream, { durable_name: name, ack_policy: 'explicit' as never })
    await ops.nats.connection.jetstream().publish(`${ops.nats.subjectPrefix}.X`, 'unread')
    const another = await ops.openAnother()
    const headers = { cookie: user.cookie, accept: 'text/html' }
    const body = await waitFor(async () => {
      const page = (await another.inject({ url: '/', headers })).body
      return page.includes('unread now') ? page : undefined
    })
    const { state } = await manager.streams.info(ops.nats.stream)
    t.match(body, `<b>${state.last_seq}</b> unread now`)
    t.match(body, /<rect[^>]+height="90\.0"/)
    await manager.consumers.delete(ops.nats.stream, name)
    await manager.streams.purge(ops.nats.stream)
  })

  t.test('an error is a page for people and JSON for machines', async t => {
    const page = await user.get('/failed-deliveries/4711')
    t.equal(page.statusCode, 404)
    t.match(page.body, /<p class="failure" role="alert">There is no such delivery\.</)
    t.match(page.body, 'name="viewport"')
    const headers = { cookie: user.cookie }
    t.match((await ops.app.inject({ url: '/failed-deliveries/4711', headers })).json(), { code: 'NOT_FOUND' })
  })

  t.test('opens a new round for failed deliveries of active webhooks, one or all', async t => {
    const [one, two] = [await ops.addFailedDelivery(), await ops.addFailedDelivery()]
    const dead = await ops.addFailedDelivery({ active: false })
    t.match((await user.get('/failed-deliveries')).body, 'https://shop.example/&lt;hook&gt;')
    const csrf: [string, string] = ['csrf', user.csrf]
    t.equal(
      (await user.post('/failed-deliveries/redeliver', [['id', one], ['id', dead], csrf])).statusCode,
      303,
    )
    const states = async () =>
      (await ops.database.pool.query('select state, tries_allowed as tries from deliveries order by id')).rows
    t.strictSame(await states(), [
      { state: 'pending', tries: 8 },
      { state: 'failed', tries: 4 },
      { state: 'failed', tries: 4 },
    ])
    t.equal(await ops.queue.countWaiting(), 1)
    await user.post('/failed-deliveries/redeliver-all', [csrf])
    t.strictSame(
      (await states()).map(({ state }) => state),
      ['pending', 'pending', 'failed'],
      two,
    )
  })

  t.test('shows the queue board, which changes nothing unless a setting allows changes', async t => {
    t.match((await user.get('/queues')).body, '<div id="root"')
    const board = await user.get('/queues/api/queues?activeQueue=deliveries&page=1&jobsPerPage=10')
    const [queue] = board.json().queues
    t.match(queue, { name: 'deliveries', readOnlyMode: true, allowRetries: false })
    t.ok(queue.jobs.length > 0)
    t.notMatch(board.body, 'whsec_')
    const changes = ['pause', 'empty', 'promote'].map(action => `/queues/api/queues/deliveries/${action}`)
    for (const url of changes) {
      const answer = await ops.app.inject({ method: 'PUT', url, headers: { cookie: user.cookie } })
      t.ok(answer.statusCode >= 400, `${url} ${answer.statusCode}`)
    }
    t.ok((await ops.queue.countWaiting()) > 0)
  })
})

t.test('a writable board still changes nothing for another site', async t => {
  const ops = await openOps(t, { OPS_BOARD_WRITABLE: 'on' })
  const user = await signIn(ops)
  const pause = (headers: Record<string, string>) =>
    ops.app.inject({
      method: 'PUT',
      url: '/queues/api/queues/deliveries/pause',
      headers: { cookie: user.cookie, ...headers },
    })
  t.equal((await pause({ 'sec-fetch-site': 'cross-site' })).statusCode, 403)
  t.equal((await pause({ 'sec-fetch-site': 'same-origin' })).statusCode, 200)
})
