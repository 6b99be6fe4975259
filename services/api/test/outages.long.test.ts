// What clients see while the servers behind the API are away. The API recovers without a restart.
import { once } from 'node:events'
import { findFreePort } from '@payment-tracking/stack'
import { createDatabase, openPrivateServers, startService, waitFor } from '@payment-tracking/testkit'
import t from 'tap'
import { WebSocket } from 'ws'
import { makeSigningKeys } from './gateway-auth/make-signing-keys.js'
import { openApi } from './open-api.js'

const READS = [
  '/v1/events',
  '/v1/events/names',
  '/v1/events/count',
  '/v1/events/payments/stats',
  '/v1/subscriptions?trackingId=x',
  '/v1/onetime/x',
]

t.test(
  'without Postgres reads are 503 in the one shape, and work again by themselves',
  { timeout: 120_000 },
  async t => {
    const servers = await openPrivateServers(t)
    const database = await createDatabase(t, { serverUrl: servers.databaseUrl })
    const port = await findFreePort()
    const api = await startService(t, 'api', {
      DATABASE_URL: database.url,
      REDIS_URL: servers.redisUrl,
      JWT_PRIVATE_KEYS: makeSigningKeys(),
      PORT: String(port),
    })
    const get = async (path: string) => {
      const answer = await fetch(`http://127.0.0.1:${port}${path}`)
      return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
    }
    const socket = new WebSocket(`ws://127.0.0.1:${port}/v1/events/stream`)
    const messages: string[] = []
    socket.on('message', (data: Buffer) => messages.push(data.toString()))
    await once(socket, 'open')
    t.equal((await get('/v1/events')).status, 200)

    await servers.private.postgres!.kill()
    for (const path of READS) {
      const { status, body } = await get(path)
      t.equal(status, 503, path)
      t.match(body, { success: false, error: String, code: 'STORE_UNAVAILABLE', requestId: String }, path)
      t.notMatch(JSON.stringify(body), /postgres|prisma|ECONN|127\.0\.0\.1/i)
    }
    t.equal((await get('/v1/health')).status, 200)
    t.equal((await fetch(`${api.managementUrl}/readyz`)).status, 503)

    await servers.private.postgres!.restart()
    await waitFor(async () => (await get('/v1/events')).status === 200, { what: 'reads again' })
    for (const path of READS) t.not((await get(path)).status, 503, path)
    await waitFor(async () => (await fetch(`${api.managementUrl}/readyz`)).ok, { what: 'ready again' })
    await database.pool.query(`
    with head as (update stream_head set position = position + 1 returning position)
    insert into events (id, position, slot, signature, event_index, name, data, commitment, occurred_at, fingerprint, stream_sequence)
    select gen_random_uuid(), position, 1, 's', 0, 'Other', '{}', 'confirmed', now(), gen_random_uuid(), 1 from head`)
    await waitFor(() => messages.length === 2, { what: 'the stream goes on, after its head' })
    const metrics = await (await fetch(`${api.managementUrl}/metrics`)).text()
    t.match(metrics, /payment_tracking_http_request_seconds_count\{route="\/v1\/events",status="503"\} [1-9]/)
    t.match(metrics, /payment_tracking_stream_sockets 1/)
    t.equal(api.logs.filter(({ level }) => level === 'error').length, 0, 'an outage is no fault of ours')
  },
)

t.test('a question that takes too long is told which filter to add', async t => {
  const { get, database } = await openApi(t, { 'api.statementTimeoutMs': '150' })
  const locker = await database.pool.connect()
  t.teardown(() => locker.release())
  await locker.query(
    'begin; lock table events, event_counts, payment_stats, policies in access exclusive mode',
  )
  const time = 'startTime=2026-01-01&endTime=2026-02-01'
  const key = 'So11111111111111111111111111111111111111112'
  for (const [path, code] of [
    ['/v1/events', 'QUERY_TOO_SLOW_ADD_START_TIME'],
    ['/v1/events?startTime=2026-01-01', 'QUERY_TOO_SLOW_ADD_END_TIME'],
    [`/v1/events?${time}&minSlot=1`, 'QUERY_TOO_SLOW_SHORTEN_TIME_RANGE'],
    [`/v1/events?${time}&offset=2000`, 'QUERY_TOO_SLOW_USE_CURSOR'],
    ['/v1/events/payments', 'QUERY_TOO_SLOW_ADD_START_TIME'],
    [`/v1/events/count?${time}`, 'QUERY_TOO_SLOW_SHORTEN_TIME_RANGE'],
    ['/v1/events/payments/stats', 'QUERY_TOO_SLOW_ADD_START_TIME'],
    [`/v1/subscriptions?recipient=${key}`, 'QUERY_TOO_SLOW_ADD_TRACKING_ID'],
    ['/v1/events/names', 'STORE_TIMEOUT'],
    ['/v1/onetime/x', 'STORE_TIMEOUT'],
  ] as const) {
    const { status, body, headers } = await get(path)
    t.equal(status, 503, path)
    t.match(body, { success: false, code }, path)
    t.ok(headers['retry-after'])
  }
  await locker.query('rollback')
  t.equal((await get('/v1/events')).status, 200)
})

t.test('an internal fault is 500 and an error in the log, never an outage', async t => {
  const { get, database, logs } = await openApi(t)
  await database.pool.query('alter table events rename column data to moved')
  const { status, body } = await get('/v1/events')
  t.equal(status, 500)
  t.match(body, { success: false, code: 'INTERNAL', error: 'Something went wrong on our side.' })
  const failed = logs.map(line => JSON.parse(line)).filter(({ level }) => level === 'error')
  t.match(failed, [{ msg: 'request.failed', code: 'INTERNAL', requestId: body.requestId }])
  t.match(JSON.stringify(failed), /42703/, 'the log says what it was')
})
