// Each answer says up to which position it knows everything, and a reader can ask for at least a position.
import { setTimeout as sleep } from 'node:timers/promises'
import { queryOnce, waitFor } from '@payment-tracking/testkit'
import t from 'tap'
import { openApi, type TestApi } from './open-api.js'
import { appendEvents } from './append-events.js'

const READS = [
  '/v1/events',
  '/v1/events/count',
  '/v1/events/names',
  '/v1/events/payments',
  '/v1/events/payments/stats',
  '/v1/events/typed/PaymentRecord',
  '/v1/overview',
  '/v1/subscriptions?trackingId=x',
  '/v1/payment-policies?trackingId=x',
  `/v1/payments/check?trackingId=x&amount=1&recipient=${'1'.repeat(32)}&tokenMint=${'1'.repeat(32)}`,
]

const headOf = async ({ database }: TestApi) =>
  (
    await queryOnce<{ position: string; epoch: string }>(
      database.url,
      'select position, epoch from stream_head',
    )
  )[0]!

const api = await openApi(t)

t.test('every answer that was read says what it knows', async t => {
  t.match((await api.get('/v1/events')).headers, { 'x-position': '0', 'x-epoch': (await headOf(api)).epoch })
  await appendEvents(api.database.url, 3)
  await sleep(30)
  for (const path of READS) t.equal((await api.get(path)).headers['x-position'], '3', path)
  t.match(await api.get('/v1/onetime/nobody'), { status: 404, headers: { 'x-position': '3' } })
  const { headers } = await api.get('/v1/events')
  const again = await api.get('/v1/events', { headers: { 'if-none-match': headers.etag! } })
  t.match(again, { status: 304, headers: { 'x-position': '3' } })
  t.equal((await api.get('/v1/events', { method: 'HEAD' })).headers['x-position'], '3')
  for (const path of ['/v1/health', '/v1/token-mints', '/v1/jwks', '/v1/events?limit=x', '/v1/nowhere'])
    t.equal((await api.get(path)).headers['x-position'], undefined, path)
})

t.test('an answer knows the position that the reader asks for, or there is none', async t => {
  const api = await openApi(t)
  const ask = (position: string, path = '/v1/events') =>
    api.get(path, { headers: { 'x-min-position': position } })
  await appendEvents(api.database.url, 2)
  t.match(await ask('2'), { status: 200, headers: { 'x-position': '2' } })

  const began = performance.now()
  const refused = await ask('3', '/v1/onetime/nobody')
  t.match(refused, { status: 503, body: { success: false, code: 'NOT_YET' } })
  t.match(refused.headers, { 'retry-after': '1', 'x-position': '2' })
  const took = performance.now() - began
  t.ok(took >= 950, `after ${Math.round(took)} ms`)

  const waiting = ask('5')
  await sleep(100)
  await appendEvents(api.database.url, 3)
  const answer = await waiting
  t.match(answer, { status: 200, headers: { 'x-position': '5' } })
  t.equal(answer.body.length, 5, 'a commit that comes meanwhile is waited for')
  t.equal((await ask('9223372036854775807')).status, 503)
  for (const wrong of ['', '-1', '1.5', 'x', '1, 2', '9223372036854775808', '99999999999999999999'])
    t.match(await ask(wrong), {
      status: 400,
      body: { code: 'INVALID_PARAMETER', error: /^Header x-min-position must be a whole number/ },
    })
  t.equal((await ask('x', '/v1/health')).status, 200, 'nothing is read')
})

t.test('after lost commits no answer claims them', async t => {
  const api = await openApi(t)
  await appendEvents(api.database.url, 5)
  const before = await api.get('/v1/events')
  t.equal(before.headers['x-position'], '5')
  await api.database.pool.query(
    'with gone as (delete from events where position > 3) update stream_head set position = 3, epoch = gen_random_uuid()',
  )
  await sleep(30)
  const after = await api.get('/v1/events')
  t.equal(after.headers['x-position'], '3')
  t.not(after.headers['x-epoch'], before.headers['x-epoch'], 'the reader can tell why')
  const refused = await api.get('/v1/events', { headers: { 'x-min-position': '5' } })
  t.match(refused, {
    status: 503,
    body: { code: 'NOT_YET' },
    headers: { 'x-epoch': after.headers['x-epoch'] },
  })
})

t.test('an answer during which commits were lost is refused in the name of the new epoch', async t => {
  const api = await openApi(t, { 'api.statementTimeoutMs': '30000' })
  const { pool } = api.database
  await appendEvents(api.database.url, 5)
  const before = (await api.get('/v1/events')).headers['x-epoch']
  const held = await pool.connect()
  t.teardown(() => held.release())
  await held.query('begin; lock table events in access exclusive mode')
  const answer = api.get('/v1/events', { headers: { 'x-min-position': '5' } })
  await waitFor(
    async () =>
      (await pool.query(`select 1 from pg_locks where not granted and relation = 'events'::regclass`))
        .rowCount === 1,
    { what: 'the read to wait' },
  )
  await pool.query('update stream_head set position = 3, epoch = gen_random_uuid()')
  await waitFor(async () => (await api.get('/v1/subscriptions?trackingId=x')).headers['x-epoch'] !== before, {
    what: 'another request to meet the new epoch',
  })
  await held.query('commit')
  t.match(await answer, {
    status: 503,
    body: { code: 'NOT_YET' },
    headers: { 'x-position': '3', 'x-epoch': (await headOf(api)).epoch },
  })
})

t.test('health tells where lists begin', async t => {
  const api = await openApi(t)
  const empty = { status: 'ok', firstPosition: null, firstTimestamp: null }
  t.match((await api.get('/v1/health')).body.data, empty)
  await appendEvents(api.database.url, 2)
  const first = () =>
    waitFor(async () => {
      const { data } = (await api.get('/v1/health')).body
      return data.firstPosition !== null && data
    })
  t.match(await first(), { firstPosition: 1, firstTimestamp: '2026-01-01T00:00:01.000Z' })
  // As when a month is archived: an answer that comes after what was read has aged tells of it at once.
  await sleep(600)
  await api.database.pool.query(
    `update stream_head set lists_begin = '2026-01-01T00:00:02Z', first_position = 2, archived_position = 1`,
  )
  const health = (await api.get('/v1/health')).body.data
  t.match(health, { firstPosition: 2, firstTimestamp: '2026-01-01T00:00:02.000Z' })
  await api.database.pool.query('alter table events rename to moved')
  t.match((await api.get('/v1/health')).body.data, { firstPosition: 2 }, 'without the database')
})

t.test('health tells how late payments and deliveries are, and answers while nobody knows', async t => {
  const api = await openApi(t)
  const { pool } = api.database
  const delays = async () => (await api.get('/v1/health')).body.data.delays
  t.same(await delays(), { payments: null, deliveries: 0 }, 'nothing stores payments here')
  await pool.query(
    `insert into processes (service, replica, version, started_at, seen_at)
     values ('ingest', 'frozen', '1', now(), now() - interval '66 s')`,
  )
  const late = await waitFor(async () => {
    const read = await delays()
    return read.payments !== null && read
  })
  t.ok(late.payments >= 66 && late.payments < 76, String(late.payments))
  await pool.query('alter table processes rename to moved')
  await waitFor(async () => (await delays()).payments === null, { what: 'what is too old to be forgotten' })
  t.equal((await api.get('/v1/health')).status, 200)
  await pool.query('alter table moved rename to processes')
})
