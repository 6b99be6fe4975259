// The names of read failures: an outage is no bug, and every unexpected failure is a bug of this service.
import { createDatabase, openPrivateServers, waitFor, type TestContext } from '@payment-tracking/testkit'
import t from 'tap'
import { openStore, type Store } from '../../src/core/database/open-store.js'
import { raw, sql } from '../../src/core/database/sql.js'

const SLEEP = 'select pg_sleep(30)::text'

async function openOver(t: TestContext, url: string, poolSize = 2): Promise<Store> {
  const store = openStore({ DATABASE_URL: url, poolSize })
  t.teardown(() => store.close())
  return store
}

/** The error code of a failed read, and whether the cause is kept. */
const failureOf = (reading: Promise<unknown>): Promise<string> =>
  reading.then(
    () => 'none',
    (error: { code: string; cause?: unknown }) => (error.cause === undefined ? 'no cause' : error.code),
  )

t.test('a failed read names the kind of its failure', { timeout: 60_000 }, async t => {
  const servers = await openPrivateServers(t)
  const database = await createDatabase(t, { serverUrl: servers.databaseUrl })
  const store = await openOver(t, database.url)
  const read = (text: string) => failureOf(store.database.write(sql`${raw(text)}`))
  const isAsleep = () =>
    database.pool
      .query(`select 1 from pg_stat_activity where query = $1 and state = 'active'`, [SLEEP])
      .then(({ rowCount }) => rowCount === 1)

  t.equal(await read('select 1'), 'none')
  t.equal(await read("select 'x'::integer"), 'STORE_REFUSED')
  t.equal(await read('selec 1'), 'STORE_FAULT')
  t.equal(await read('select nothing from events'), 'STORE_FAULT')
  const readOnly = 'do $$ begin set transaction read only; create table t (); end $$'
  t.equal(await read(readOnly), 'STORE_UNAVAILABLE', 'a standby that is not promoted yet')
  const ours = () => Promise.resolve(undefined as unknown as { id: string }).then(row => row.id)
  t.equal(await failureOf(store.database.withModels(ours)), 'STORE_FAULT', 'a TypeError of our own')
  t.equal(await failureOf(store.database.read(sql`select ${'x'} ${'y'}`)), 'STORE_FAULT', 'no such table')

  const stranger = new URL(database.url)
  stranger.password = 'wrong'
  const refused = await openOver(t, stranger.href)
  t.equal(await failureOf(refused.database.read(sql`select 1`)), 'STORE_UNAVAILABLE')

  const terminated = read(SLEEP)
  await waitFor(isAsleep, { what: 'a statement to end' })
  await database.pool.query('select pg_terminate_backend(pid) from pg_stat_activity where query = $1', [
    SLEEP,
  ])
  t.equal(await terminated, 'STORE_UNAVAILABLE', 'a connection that was terminated')

  const broken = store.database.transaction(async tx => {
    const [{ pid }] = await tx.$queryRaw<[{ pid: number }]>(sql`select pg_backend_pid() as pid`)
    await database.pool.query('select pg_terminate_backend($1)', [pid])
    await waitFor(async () => (await failureOf(tx.$queryRaw(sql`select 1`))) !== 'none')
  })
  t.equal(await failureOf(broken), 'STORE_UNAVAILABLE', 'a commit on a connection that broke')

  const crowded = await openOver(t, database.url, 1)
  const holding = failureOf(crowded.database.write(sql`${raw(SLEEP)}`))
  await waitFor(isAsleep, { what: 'the only connection to be taken' })
  t.equal(await failureOf(crowded.database.read(sql`select 1`)), 'STORE_UNAVAILABLE', 'none became free')
  await servers.private.postgres!.kill()
  t.equal(await holding, 'STORE_UNAVAILABLE', 'a server that died')
  t.equal(await read('select 1'), 'STORE_UNAVAILABLE', 'a server that is away')
})
