// What clients see of a question that takes too long, and of a fault of ours. While servers are away: test/degradation.
import t from 'tap'
import { openApi } from './open-api.js'

t.test('a question that takes too long is told which filter to add', async t => {
  const { get, database } = await openApi(t, { 'api.statementTimeoutMs': '150' })
  const locker = await database.pool.connect()
  t.teardown(() => locker.release())
  await locker.query('begin; lock table events, event_counts, policies in access exclusive mode')
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
