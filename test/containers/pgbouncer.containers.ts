// The services behind a real PgBouncer in transaction mode, with the settings of infra/pgbouncer.
import { randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildJwtKeys, findFreePort } from '@payment-tracking/stack'
import { migrate, SERVICES_WITH_ROLES, urlOfRole } from '@payment-tracking/store/core'
import {
  createDatabase,
  openPublisher,
  queryOnce,
  readExpectedAnswers,
  readFixtureMessages,
  startService,
  useNats,
  useRedis,
  useServers,
  waitFor,
  type TestContext,
} from '@payment-tracking/testkit'
import t from 'tap'
import { inHome, ROOT, run } from './machine.js'
import { BASE_IMAGE } from './stand-ins.js'

/** @param direct the URL of the database past the pooler. @returns the URL through it */
async function startPooler(t: TestContext, direct: string): Promise<string> {
  const [url, port] = [new URL(direct), await findFreePort()]
  const name = `pgbouncer-${randomBytes(3).toString('hex')}`
  const folder = inHome(name)
  mkdirSync(folder, { recursive: true, mode: 0o755 })
  const settings = readFileSync(join(ROOT, 'infra/pgbouncer/pgbouncer.ini'), 'utf8')
    .replace(/^payment_tracking = .*$/m, `* = host=127.0.0.1 port=${url.port}`)
    .replace(/^listen_addr = .*$/m, 'listen_addr = 127.0.0.1')
    .replace(/^listen_port = .*$/m, `listen_port = ${port}`)
  writeFileSync(join(folder, 'pgbouncer.ini'), settings)
  const users = [direct, ...SERVICES_WITH_ROLES.map(service => urlOfRole(direct, service))].map(each => {
    const { username, password } = new URL(each)
    return `"${decodeURIComponent(username)}" "${decodeURIComponent(password) || 'unused'}"\n`
  })
  writeFileSync(join(folder, 'users.txt'), users.join(''))
  const options = ['--name', name, '--network', 'host', '--user', '65534']
  const volume = ['--volume', `${folder}:/etc/pgbouncer:ro`]
  const program = ['pgbouncer', '/etc/pgbouncer/pgbouncer.ini']
  await run('podman', ['run', '--detach', ...options, ...volume, BASE_IMAGE, ...program])
  t.teardown(async () => {
    await run('podman', ['rm', '--force', '--time', '0', name])
    rmSync(folder, { recursive: true })
  })
  const pooled = new URL(direct)
  pooled.port = String(port)
  pooled.password ||= 'unused'
  await waitFor(() => queryOnce(pooled.href, 'select 1').then(() => true), {
    what: 'an answer of PgBouncer',
  }).catch(async error => {
    throw new Error(await run('podman', ['logs', name]), { cause: error })
  })
  return pooled.href
}

t.test('migrations take turns through a pooler, and leave no lock behind', async t => {
  const { databaseUrl } = await useServers(t)
  const fresh = new URL(databaseUrl)
  fresh.pathname = `/test_${randomBytes(6).toString('hex')}`
  await queryOnce(databaseUrl, `create database ${fresh.pathname.slice(1)}`)
  t.teardown(() => queryOnce(databaseUrl, `drop database if exists ${fresh.pathname.slice(1)} with (force)`))
  const pooled = await startPooler(t, fresh.href)
  const applied = await Promise.all([migrate(pooled), migrate(pooled), migrate(pooled)])
  t.equal(applied.filter(names => names.length > 0).length, 1, 'one of them migrated')
  t.strictSame(await migrate(pooled), [], 'the next finds nothing to do, and does not wait')
  t.strictSame(
    await queryOnce(fresh.href, `select 1 from pg_locks where locktype = 'advisory' and objid = 72707369`),
    [],
  )
})

t.test('services work through a pooler in transaction mode', async t => {
  const [database, redis, nats] = await Promise.all([createDatabase(t), useRedis(t), useNats(t)])
  const env = {
    DATABASE_URL: await startPooler(t, database.url),
    DATABASE_POOLER: 'transaction',
    REDIS_URL: redis.url,
    NATS_URL: nats.url,
    STREAM_NAME: nats.stream,
    SUBJECT_PREFIX: nats.subjectPrefix,
    ENVIRONMENT: redis.prefix,
  }
  const port = await findFreePort()
  const api = { ...env, PORT: String(port), JWT_PRIVATE_KEYS: buildJwtKeys(), RATE_LIMIT_MAX: '1000000' }
  await Promise.all([
    startService(t, 'ingest', env),
    startService(t, 'api', api),
    startService(t, 'realtime', { ...env, PORT: '0' }),
    startService(t, 'webhook-worker', env),
  ])
  const publisher = await openPublisher(env)
  t.teardown(() => publisher.close())
  await publisher.publishAll(await readFixtureMessages())
  const expected = await readExpectedAnswers()
  const ask = (path: string) => fetch(`http://127.0.0.1:${port}${path}`)
  await waitFor(
    async () =>
      ((await (await ask('/v1/events/count')).json()) as { count: number }).count === expected.stored,
    { what: `${expected.stored} stored events`, timeoutMs: 60_000 },
  )
  const [gateway, query] = [expected.stats[0]!.gateway, expected.subscriptions[0]!.query]
  const paths = [
    '/v1/events?limit=20',
    '/v1/events/names',
    '/v1/events/payments?limit=20',
    `/v1/events/payments/stats?gateway=${gateway}`,
    `/v1/subscriptions?trackingId=${query.trackingId}`,
    '/v1/events/count',
  ]
  const answers = await Promise.all(
    Array.from({ length: 60 }, () => paths)
      .flat()
      .map(ask),
  )
  const refused = answers.map(({ status }) => status).filter(status => status !== 200)
  t.strictSame(refused, [], 'all 360 answered')
})
