// The upgrade that docs/upgrades.md promises: migrations of a later release run while this release works under load. Then
// a second set of processes starts on the new schema beside the first set, and the first set leaves.
import { randomUUID } from 'node:crypto'
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildJwtKeys, openEdge } from '@payment-tracking/stack'
import { DEFAULT_PROGRAM_ID } from '@payment-tracking/contracts'
import { migrate, MIGRATIONS_DIR, openStore } from '@payment-tracking/store/core'
import { rebuildProjections } from '@payment-tracking/store/ingest'
import {
  countRows,
  createDatabase,
  dumpProjections,
  findArrivalProblems,
  useNats,
  useRedis,
  waitFor,
  type TestContext,
} from '@payment-tracking/testkit'
import t from 'tap'
import { everybodyKnows, openEndpoint, readOn, readPosted, watchAll } from './audience.js'
import { buildMarket } from './market.js'
import { readFigure, SERVICES, startRelease } from './release-set.js'

/** The exit codes of a release that stopped in order. */
const LEFT = Object.fromEntries(SERVICES.map(name => [name, 0]))

/** What a later release may add, on the tables that are read and written most. */
const LATER_MIGRATIONS = {
  '29990101000000_columns': `
    alter table events add column later text;
    alter table policies add column later bigint not null default 0;
    alter table deliveries add column later boolean not null default false;
    create table later (id bigint primary key);`,
  '29990101000100_index': 'create index concurrently events_later on events (later) where later is not null;',
}

/** This release's migrations, and those of the later release. */
async function writeLaterMigrations(t: TestContext): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'migrations-'))
  t.teardown(() => rm(dir, { recursive: true }))
  await cp(MIGRATIONS_DIR, dir, { recursive: true })
  for (const [name, sql] of Object.entries(LATER_MIGRATIONS)) {
    await mkdir(join(dir, name))
    await writeFile(join(dir, name, 'migration.sql'), sql)
  }
  return dir
}

t.test('a release goes on while schema and services change under load', { timeout: 600_000 }, async t => {
  const database = await createDatabase(t)
  const [redis, nats] = await Promise.all([useRedis(t), useNats(t)])
  const env = {
    DATABASE_URL: database.url,
    REDIS_URL: redis.url,
    NATS_URL: nats.url,
    STREAM_NAME: nats.stream,
    SUBJECT_PREFIX: nats.subjectPrefix,
    ENVIRONMENT: `upgrade-${randomUUID().slice(0, 8)}`,
    JWT_PRIVATE_KEYS: buildJwtKeys(),
    OPS_TOKEN: randomUUID(),
    OPS_PORT: '0',
    PORT: '0',
    TRUST_PROXY: 'on',
    RATE_LIMIT_MAX: '1000000',
    WEBHOOK_ALLOW_PRIVATE_TARGETS: 'on',
    'realtime.longestDrainMs': '500',
  }
  const complaints: string[] = []
  const market = await buildMarket(t, env)
  const knows = (what: string) => everybodyKnows(what, market, receiver, watches)

  const payMore = (what: string) => {
    const wanted = market.payments.length + 20
    return waitFor(() => market.payments.length >= wanted, { what })
  }

  const before = await startRelease(t, env)
  const ready = [before]
  const edge = await openEdge({
    host: '127.0.0.1',
    port: 0,
    trustedProxies: false,
    portsOf: service =>
      ready.map(({ apiPort, realtimePort }) => (service === 'realtime' ? realtimePort : apiPort)),
  })
  t.teardown(() => edge.close())
  const oldApi = `http://127.0.0.1:${before.apiPort}`
  const receiver = await openEndpoint(t, oldApi, market)
  const throughEdge = watchAll('edge socket', edge.url, market, complaints)
  const onOldPod = watchAll('old socket', `http://127.0.0.1:${before.realtimePort}`, market, complaints)
  t.teardown(() => [throughEdge, onOldPod].forEach(watch => watch.close()))
  let watches = [throughEdge, onOldPod]
  const readers = [readOn('edge', edge.url, market, complaints)]
  const stopReadingOld = readOn('old api', oldApi, market, complaints)
  market.open()
  await payMore('payments')
  await knows('the release on its own schema')

  const migrations = await writeLaterMigrations(t)
  t.strictSame(await migrate(database.url, migrations), Object.keys(LATER_MIGRATIONS), 'the schema changes')
  await payMore('payments after the migration')
  await knows('the release on the new schema')
  // Going back to a release means that it starts on a schema that it does not know.
  t.strictSame(await migrate(database.url), [], 'its own migrations find nothing to do')

  const after = await startRelease(t, env)
  ready.push(after)
  const onNewPod = watchAll('new socket', `http://127.0.0.1:${after.realtimePort}`, market, complaints)
  t.teardown(() => onNewPod.close())
  watches = [throughEdge, onOldPod, onNewPod]
  readers.push(readOn('new api', `http://127.0.0.1:${after.apiPort}`, market, complaints))
  for (const [name, metric] of [
    ['ingest', /ingest_events_total\{result="stored"\}/],
    ['webhook-worker', /delivery_attempts_total\{outcome="accepted"\}/],
  ] as const) {
    for (const release of [before, after]) {
      const begin = await readFigure(release.services[name], metric)
      await waitFor(async () => (await readFigure(release.services[name], metric)) > begin, {
        what: `${release === before ? 'the old' : 'the new'} ${name} to do its share`,
      })
    }
  }
  await knows('both sets side by side')

  onOldPod.close()
  await stopReadingOld()
  watches = [throughEdge, onNewPod]
  ready.shift()
  t.strictSame(await before.stop(), LEFT, 'the first set leaves in order')
  await payMore('payments after the upgrade')
  await market.close()
  await knows('the second set alone')
  await Promise.all(readers.map(stop => stop()))

  t.strictSame(complaints, [], 'nobody was refused anything')
  const faults = [before, after].flatMap(release => release.faults())
  t.strictSame(faults, [], 'no fault was logged')

  const count = (what: string) => countRows(database.pool, what)
  await waitFor(async () => (await count('events')) >= market.published.length, { what: 'the last event' })
  await waitFor(async () => (await count(`deliveries where state <> 'delivered'`)) === 0, {
    what: 'all deliveries to be marked',
  })
  const { rows } = await database.pool.query<{ signature: string }>('select signature from events')
  const signatures = (of: readonly { signature: string }[]) => of.map(({ signature }) => signature).sort()
  t.strictSame(signatures(rows), signatures(market.published), 'every event is stored once')
  t.equal(await count('dead_letters'), 0)
  t.strictSame(await findArrivalProblems(database.pool), [])
  t.equal(await count('deliveries'), market.payments.length)
  const posted = readPosted(receiver)
  t.strictSame([...posted.keys()].sort(), signatures(market.payments), 'the receiver has every payment')
  for (const ids of posted.values()) t.equal(ids.size, 1, 'each under one id')
  for (const watch of [throughEdge, onNewPod]) {
    for (const [trackingId, payments] of watch.payments) {
      const ownSeqs = payments.map(({ seq }) => seq).sort((a, b) => a - b)
      t.strictSame(
        ownSeqs,
        payments.map((_, index) => index + 1),
        `${trackingId}: each payment once`,
      )
    }
  }

  const ask = async (path: string) =>
    (await fetch(edge.url + path)).json() as Promise<Record<string, unknown>>
  t.match(await ask('/v1/events/count'), { count: market.published.length })
  t.match(await ask(`/v1/events/payments/stats?gateway=${market.gateway.address}`), {
    count: market.payments.length,
    totalAmount: market.payments.reduce((sum, { data }) => sum + Number(data.amount), 0),
  })
  for (const { address, trackingId } of market.policies) {
    const paid = market.payments.filter(({ data }) => data.payment_policy === address)
    const subscription = await ask(`/v1/subscriptions?trackingId=${trackingId}`)
    t.match(subscription, { data: [{ policyAddress: address, paymentCount: paid.length }] })
    const { data } = await ask(`/v1/onetime/${trackingId}?limit=1000`)
    t.strictSame(signatures([data].flat() as { signature: string }[]), signatures(paid))
  }

  const asWritten = await dumpProjections(database.pool)
  const store = openStore({ DATABASE_URL: database.url, poolSize: 2 })
  t.teardown(() => store.close())
  await rebuildProjections(store, { programId: DEFAULT_PROGRAM_ID })
  t.strictSame(await dumpProjections(database.pool), asWritten, 'projections follow from the events')
})
