// What DATABASE_REPLICA_URLS may name, before the service starts.
// In one process with others: what tests load.
import { createLogger, readConfig } from '@payment-tracking/runtime'
import {
  createDatabase,
  openPostgresPair,
  startService,
  useServers,
  type TestContext,
} from '@payment-tracking/testkit'
import t from 'tap'
import { ApiConfig } from '../src/config.js'
import { openApiDatabases } from '../src/open-api-databases.js'
import { makeSigningKeys } from './gateway-auth/make-signing-keys.js'

const ENV = { REDIS_URL: 'redis://127.0.0.1:1', JWT_PRIVATE_KEYS: makeSigningKeys(), PORT: '0' }
const log = createLogger('test', { LOG_LEVEL: 'silent', ENVIRONMENT: 'test' })
const start = (t: TestContext, env: Record<string, string>) =>
  startService(t, 'api', { ...ENV, ...env }, { waitUntilReady: false })

t.test('an address that can lead to no replica is refused, by name and with the cure', async t => {
  const pair = await openPostgresPair(t)
  const database = await createDatabase(t, { serverUrl: pair.url })
  await pair.standbyCaughtUp()
  const { pathname } = new URL(database.url)
  const on = (url: string, path = pathname) => Object.assign(new URL(url), { pathname: path }).href
  const { host } = new URL(database.url)
  const own = on(pair.standbys[0]!.url)
  const foreign = (await createDatabase(t)).url
  const cases: [name: string, databaseUrl: string, replicas: string, says: RegExp][] = [
    [
      'no address',
      database.url,
      'postgresql://a,oops',
      /DATABASE_REPLICA_URLS names something that is no address/,
    ],
    [
      'a primary',
      database.url,
      database.url,
      new RegExp(`DATABASE_REPLICA_URLS: ${host}${pathname} is a primary: name only standbys`),
    ],
    ['another server', foreign, own, /is a standby of another server than the one in DATABASE_URL: correct/],
    [
      'no such database',
      database.url,
      on(own, '/nowhere'),
      /refuses the connection \(SQLSTATE 3D000\): correct its/,
    ],
  ]
  for (const [name, databaseUrl, replicas, message] of cases) {
    const env = { ...ENV, DATABASE_URL: databaseUrl, DATABASE_REPLICA_URLS: replicas }
    await t.rejects(openApiDatabases(readConfig(ApiConfig, env), log, 1_000), { message }, name)
  }
  const both = await start(t, {
    DATABASE_URL: database.url,
    DATABASE_REPLICA_URLS: `${own}, ${database.url}`,
  })
  t.equal(await both.exited, 1, 'one wrong address of two')
  t.match(both.output, `${host}${pathname} is a primary`)
  t.notMatch(both.output, new RegExp(new URL(own).host + '.*is a primary'))
  for (const { msg } of both.logs) t.not(msg, 'http.listening', 'before anything starts')
})

t.test('a replica that is away is warned of, and reads go on', async t => {
  const { redisUrl } = await useServers(t)
  const database = await createDatabase(t)
  const away = 'postgresql://user:secret@127.0.0.1:1/somewhere'
  const api = await start(t, { DATABASE_URL: database.url, DATABASE_REPLICA_URLS: away, REDIS_URL: redisUrl })
  const warned = await api.waitForLog('replica.away')
  t.match(warned, { level: 'warn', replica: '127.0.0.1:1/somewhere', problem: /cannot be reached/ })
  const { address } = await api.waitForLog('http.listening')
  const answer = await fetch(`${String(address)}/v1/events`)
  t.equal(answer.status, 200)
  t.equal(answer.headers.get('x-position'), '0')
  await api.waitForLog('service.ready')
  const metrics = await api.metrics()
  t.match(metrics, /^payment_tracking_reads_total\{database="primary"\} 1$/m)
  t.match(metrics, /^payment_tracking_replica_asked\{database="127.0.0.1:1\/somewhere"\} 0$/m)
  t.notMatch(api.output, 'secret')
})
