// The pages: what they show, escape, and change.
import { countRows, waitFor } from '@payment-tracking/testkit'
import t from 'tap'
import { openOps } from './open-ops.js'
import { signIn } from './sign-in.js'

t.test('the dashboard', async t => {
  const ops = await openOps(t)
  const user = await signIn(ops)

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
    t.equal(await countRows(ops.database.pool, 'dead_letters where replayed_at is null'), 2)
  })

  t.test('shows work with its progress, and gives back rows that were quarantined', async t => {
    const { pool } = ops.database
    await pool.query(
      `with w as (insert into webhooks (gateway, endpoint_url, secret, active)
                  values ('gateway', 'https://off.example/', 's', false) returning id)
       insert into work (kind, key, handled) select 'cancel', id::text, 1500 from w`,
    )
    await pool.query(`insert into work (kind, key, handled) values ('policy', 'an address', 7)`)
    await pool.query(`insert into quarantine (task, key, error) values ('due-dates', '<b>policy', 'planted')`)
    await pool.query(
      `insert into archive_problem (problem, since, seen_at)
       values ('<b>s3://bucket: make it', '2026-01-02T03:04:05Z', '2026-01-03T03:04:05Z')`,
    )
    const page = (await user.get('/work')).body.replace(/\s+/g, ' ')
    t.match(page, /https:\/\/off\.example\/.*<td>1500<\/td> <td>under way<\/td>/)
    t.match(page, /<td>policy<\/td>.*an address.*<td>7<\/td>/)
    t.match(page, '&lt;b&gt;policy')
    t.match(page, /2026-01-02 03:04:05 UTC<\/time.*2026-01-03 03:04:05 UTC<.*&lt;b&gt;s3:\/\/bucket: make it/)
    const overview = (await user.get('/')).body.replace(/\s+/g, ' ')
    t.match(
      overview,
      /class="card past" href="\/work" ?><b>1<\/b>Rows quarantined <[^>]+>act: red when there is one</,
    )
    const row: [string, string][] = [
      ['task', 'due-dates'],
      ['key', '<b>policy'],
    ]
    t.equal((await user.post('/work/take-back', row)).statusCode, 403, 'not without the token of the form')
    const taken = await user.post('/work/take-back', [...row, ['csrf', user.csrf]])
    t.match((await user.get(String(taken.headers.location))).body, 'The task gets the row again.')
    t.equal((await pool.query('select from quarantine')).rowCount, 0)
    await pool.query('delete from archive_problem')
    await pool.query('delete from work')
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
    t.match((await user.get('/')).body, /Open stream gaps/)
    t.match((await user.get('/dead-letters')).body, /7 to 9[^]*&lt;b&gt;[^]*a line was cut[^]*open/)
    const open = (await user.get('/stream-gaps')).body
    t.match(open, /6 to 25/)
    t.match(open, /<button>Close/)
    const id = rows[0]!.id
    t.equal((await user.post('/stream-gaps/close', [['id', id]])).statusCode, 403, 'without its CSRF token')
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
    t.match(page, new RegExp(`href="https://pay\\.example/console/endpoints/\\d+/deliveries/${id}"`))
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
      return page.includes('<rect') ? page : undefined
    })
    const { state } = await manager.streams.info(ops.nats.stream)
    t.match(body, new RegExp(`<b>${state.last_seq}</b> unread \\d s ago`))
    t.match(body, /<rect[^>]+height="90\.0"/)
    t.match(body, `<span>${state.last_seq} unread message`, 'the top of the axis')
    t.match(body, /<span>0 at (\S+) UTC<\/span><span>\1 UTC</, 'both ends of the axis: one sample')
    await manager.consumers.delete(ops.nats.stream, name)
    await manager.streams.purge(ops.nats.stream)
  })

  t.test('each figure says from when on to act, and leads to where one does', async t => {
    const page = (await user.get('/')).body.replace(/\s+/g, ' ')
    const cards = [...page.matchAll(/<a class="(card(?: past)?)" href="([^"]+)" ?><b>([^<]+)<\/b>(.*?)<\/a/g)]
    t.equal(cards.length, 10)
    for (const [, look, href, value, rest] of cards) {
      if (!/Failed deliveries|Endpoints that fail/.test(rest!))
        t.match(rest!, /red (when there is one|above \d+ (s|min|d))/, 'its threshold')
      t.equal(look === 'card past', rest!.includes('act: '), 'red is said in words too')
      t.equal((await user.get(href!)).statusCode, 200, href!)
      if (value === '0' || value === 'none' || value === 'not known') t.equal(look, 'card', 'nothing to do')
    }
    t.match(page, /<b>not known<\/b>Chain to announced/, 'no payment was measured')
  })

  t.test('a process is red when it is silent, and when it does nothing while work waits', async t => {
    const { pool } = ops.database
    const add = (service: string, seen: string, worked: string) =>
      pool.query(
        `insert into processes (service, replica, version, started_at, seen_at, worked_at)
         values ($1, $1 || '/1', '1.2.3', now(), now() - $2::interval, now() - $3::interval)`,
        [service, seen, worked],
      )
    const rowOf = async (service: string) => {
      const page = (await user.get('/')).body.replace(/\s+/g, ' ')
      return new RegExp(`<tr class="([^"]*)"> <td>${service}</td>(.*?)</tr>`).exec(page)!
    }
    t.match((await rowOf('webhook-worker'))[0], /past.*no process reports/, 'a service of which nothing runs')
    await add('api', '19 s', '3 h')
    await add('webhook-worker', '0 s', '21 min')
    await add('ingest', '25 s', '25 s')
    t.equal((await rowOf('api'))[1], '', 'nothing to do is well')
    t.match((await rowOf('api'))[2], /<td>well<\/td>.*3 h ago.*19 s ago.*1\.2\.3/)
    t.match((await rowOf('ingest'))[0], /past.*silent: frozen, cut off or gone.*2\d s ago/)
    t.equal((await rowOf('webhook-worker'))[1], '')
    await pool.query(
      `with w as (insert into webhooks (gateway, endpoint_url, secret) values ('g', 'https://late.example/', 's') returning id)
       insert into deliveries (webhook_id, message_id, type, message, due_at)
       select id, 'late', 'payment.executed', 0, now() - interval '2 min' from w`,
    )
    t.match((await rowOf('webhook-worker'))[0], /past.*does nothing while work waits.*2 min.*21 min ago/)
    await pool.query(`update processes set worked_at = now() where service = 'webhook-worker'`)
    t.equal((await rowOf('webhook-worker'))[1], '', 'it works, and has much to do')
    await pool.query(`delete from deliveries where message_id = 'late'`)
    await pool.query('delete from processes')
  })

  t.test('endpoints that fail are named with their gateway, what waits and the last answer', async t => {
    const { pool } = ops.database
    t.match((await user.get('/failing-endpoints')).body, 'None.')
    const { rows } = await pool.query<{ id: string }>(
      `insert into webhooks (gateway, endpoint_url, secret, created_at)
       values ('a gateway', 'https://refuses.example/secret/path', 's', now() - interval '3 h') returning id`,
    )
    const [{ id }] = rows as [{ id: string }]
    await pool.query(
      `insert into webhook_hours (webhook_id, start, accepted, duration, requests)
       values ($1, date_trunc('hour', now(), 'UTC'), false, 3, 125)`,
      [id],
    )
    await pool.query(
      `with d as (insert into deliveries (webhook_id, message_id, type, message, attempts_made)
                  values ($1, 'refused', 'payment.executed', 0, 1) returning id)
       insert into delivery_attempts (delivery_id, number, finished_at, outcome, status_code, error)
       select id, 1, now() - interval '21 min', 'refused', 400, 'status' from d`,
      [id],
    )
    const page = (await user.get('/failing-endpoints')).body.replace(/\s+/g, ' ')
    t.match(page, /a gateway<\/span ?><\/a> ?<\/td> <td class="text">refuses\.example<\/td>/)
    t.match(
      page,
      /never, added 3 h ago<\/td> <td>0 of 125<\/td> <td>1<\/td> <td class="text">HTTP 400, 21 min ago/,
    )
    t.notMatch(page, '>https://refuses.example/secret/path', 'the path can be a secret')
    t.match((await user.get('/')).body.replace(/\s+/g, ' '), /<b>1<\/b>Endpoints that fail/)
    await pool.query('delete from webhook_hours')
    await pool.query(`delete from delivery_attempts where outcome = 'refused' and status_code = 400`)
    await pool.query(`delete from deliveries where message_id = 'refused'`)
  })

  t.test('an error is a page for people and JSON for machines', async t => {
    const page = await user.get('/failed-deliveries/4711')
    t.equal(page.statusCode, 404)
    t.match(page.body, /<p class="failure" role="alert">There is no such delivery\.</)
    t.match(page.body, 'name="viewport"')
    const headers = { cookie: user.cookie }
    t.match((await ops.app.inject({ url: '/failed-deliveries/4711', headers })).json(), { code: 'NOT_FOUND' })
  })

  t.test('opens a new cycle for failed deliveries of active webhooks, one or all', async t => {
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
    t.equal((await ops.queue.countWaiting()).first, 1)
    const { headers } = await user.post('/failed-deliveries/redeliver-all', [csrf])
    t.match((await user.get(headers.location!)).body, '1 of 1 are due now.', 'no place for the inactive one')
    const foundStates = (await states()).map(({ state }) => state)
    t.strictSame(foundStates, ['pending', 'pending', 'failed'], two)
  })

  t.test('shows the queue board, which changes nothing unless a setting allows changes', async t => {
    const page = (await user.get('/queues')).body
    t.match(page, '<div id="root"')
    t.notMatch(page, /(?:src|href)="https?:/, 'the page asks no other server')
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
    t.ok((await ops.queue.countWaiting()).first > 0)
  })

  t.test('shows the indexer, its gaps, and the consumers of the stream', async t => {
    const { stream, connection } = ops.nats
    const page = async () => (await user.get('/pipeline')).body
    t.match(await page(), /No indexer has written a checkpoint[^]*None: ingest has not connected yet/)
    const bucket = `INDEXER_${stream}`
    const keys = await connection.jetstream().views.kv(bucket)
    t.teardown(() => keys.destroy())
    const manager = await connection.jetstreamManager()
    await manager.consumers.add(stream, { durable_name: 'ingest', ack_policy: 'explicit' as never })
    t.teardown(() => manager.consumers.delete(stream, 'ingest'))
    await connection.jetstream().publish(`${ops.nats.subjectPrefix}.X`, 'unread')
    const checkpoint = {
      programId: '<program>',
      through: 900,
      finalizedSlot: 1_234,
      fromTheBeginning: true,
      open: { transactions: [{}, {}], holes: [{ missing: [4, 5, 6] }] },
    }
    await keys.put('checkpoint', JSON.stringify(checkpoint))
    await keys.put('lease', 'a name')
    const shown = await page()
    t.match(shown, '&lt;program&gt;')
    t.match(shown, /yes, its lease was renewed \d s ago/)
    const overview = (await user.get('/')).body.replace(/\s+/g, ' ')
    t.match(overview, /<td>indexer<\/td>.*<td>a name<\/td>/, 'who has the lease is among the processes')
    t.match(shown, /slot 900, written \d s ago/)
    t.match(shown, /slots behind the finalized chain<\/dt>\s*<dd><span class="past">334<\/span>/)
    t.match(shown, '2 unread transactions, 3 missing numbers')
    t.match(shown.replace(/\s+/g, ''), '<td>ingest</td><td>1</td><td>0</td><td>0</td><td>0</td>')
    await keys.put('lease', '')
    const stalled = await page()
    t.match(stalled, /<b class="failure">no<\/b>/)
  })
})
