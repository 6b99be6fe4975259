import { findFreePort } from '@payment-tracking/stack'
import { createDatabase, startService, useServers, waitFor } from '@payment-tracking/testkit'
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { connect } from 'node:net'
import t from 'tap'
import { makeSigningKeys } from './gateway-auth/make-signing-keys.js'

t.test('a request in progress is answered, later ones are sent away, and nothing stays open', async t => {
  const { redisUrl } = await useServers(t)
  const database = await createDatabase(t)
  const port = await findFreePort()
  const api = await startService(t, 'api', {
    DATABASE_URL: database.url,
    REDIS_URL: redisUrl,
    JWT_PRIVATE_KEYS: makeSigningKeys(),
    'api.statementTimeoutMs': '20000',
    PORT: String(port),
  })
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  t.teardown(() => agent.destroy())
  const ask = (path: string) =>
    new Promise<{ status: number; body: string }>((resolve, reject) => {
      request({ port, host: '127.0.0.1', path, agent }, response => {
        let body = ''
        response.setEncoding('utf8').on('data', (chunk: string) => (body += chunk))
        response.on('end', () => resolve({ status: response.statusCode!, body }))
      })
        .on('error', reject)
        .end()
    })
  // A connection with an unfinished request is not idle: it is still open when the stop begins.
  const late = connect(port, '127.0.0.1')
  let lateAnswer = ''
  late.setEncoding('utf8').on('data', (chunk: string) => (lateAnswer += chunk))
  late.write('GET /v1/events HTTP/1.1\r\n')
  const lateClosed = once(late, 'close')
  const locker = await database.pool.connect()
  await locker.query('begin; lock table events in access exclusive mode')
  const inProgress = ask('/v1/events')
  await waitFor(async () => {
    // Another session reads this: within its transaction, the locking session would see the same activity for ever.
    const { rows } = await database.pool.query(
      `select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
    )
    return rows.length > 0
  })
  const exited = api.stop()
  await api.waitForLog('service.stopping')
  late.write('host: x\r\n\r\n')
  await lateClosed
  t.match(lateAnswer, /^HTTP\/1.1 503 [^]*retry-after: 1\r\n[^]*"success":false,[^]*"code":"STOPPING"/i)
  await locker.query('rollback')
  locker.release()
  t.equal((await inProgress).status, 200)
  t.equal(await exited, 0)
  const { rows } = await database.pool.query(
    `select 1 from pg_stat_activity where datname = current_database() and application_name like 'payment-tracking%'`,
  )
  t.same(rows, [], 'it left no connection')
})

t.test('a start that cannot succeed names all faults and exits with 1', async t => {
  const api = await startService(t, 'api', { PORT: 'x', RATE_LIMIT_MAX: '0' }, { waitUntilReady: false })
  t.equal(await api.exited, 1)
  for (const name of ['DATABASE_URL', 'REDIS_URL', 'JWT_PRIVATE_KEYS', 'PORT', 'RATE_LIMIT_MAX'])
    t.match(api.output, name)
})
