import { randomBytes } from 'node:crypto'
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { markRolledBack, migrate, MIGRATIONS_DIR, readMigrations } from '@payment-tracking/store/core'
import { openPool, queryOnce, useServers, waitFor, type TestContext } from '@payment-tracking/testkit'
import t from 'tap'

/** The URL of a database that does not exist yet; dropped when the test ends. */
async function nameDatabase(t: TestContext): Promise<string> {
  const { databaseUrl } = await useServers(t)
  const url = new URL(databaseUrl)
  url.pathname = `/test_${randomBytes(6).toString('hex')}`
  t.teardown(async () => {
    await queryOnce(databaseUrl, `drop database if exists ${url.pathname.slice(1)} with (force)`)
  })
  return url.href
}

const query = (url: string, sql: string) => queryOnce<Record<string, unknown>>(url, sql)

async function copyMigrations(t: TestContext): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'migrations-'))
  t.teardown(() => rm(dir, { recursive: true }))
  await cp(MIGRATIONS_DIR, dir, { recursive: true })
  return dir
}

async function addMigration(dir: string, name: string, sql: string) {
  await mkdir(join(dir, name), { recursive: true })
  await writeFile(join(dir, name, 'migration.sql'), sql)
}

t.test('concurrent calls create and migrate a missing database once', async t => {
  const url = await nameDatabase(t)
  const results = await Promise.all([migrate(url), migrate(url), migrate(url)])
  const names = (await readMigrations()).map(({ name }) => name)
  t.same(results.flat(), names, 'each was applied by exactly one of them')
  t.same(await migrate(url), [], 'nothing is left to do')
  t.match(await query(url, 'select position from stream_head'), [{ position: '0' }])
})

t.test('the bookkeeping is that of prisma migrate deploy', async t => {
  const url = await nameDatabase(t)
  await migrate(url)
  const rows = await query(url, 'select * from _prisma_migrations order by migration_name')
  const migrations = await readMigrations()
  t.match(
    rows,
    migrations.map(({ name, checksum }) => ({
      migration_name: name,
      checksum,
      applied_steps_count: 1,
      logs: null,
      rolled_back_at: null,
      finished_at: Date,
    })),
  )
})

t.test('a migration that was edited after it was applied is refused', async t => {
  const url = await nameDatabase(t)
  const dir = await copyMigrations(t)
  await migrate(url, dir)
  const [first] = await readMigrations(dir)
  await addMigration(dir, first!.name, `${first!.sql}\n-- edited`)
  await t.rejects(migrate(url, dir), {
    code: 'STORE_MIGRATION_FAILED',
    message: /edited after it was applied/,
  })
})

t.test('a failing migration leaves nothing behind, and does not run again by itself', async t => {
  const url = await nameDatabase(t)
  const dir = await copyMigrations(t)
  await addMigration(dir, '29990101000000_bad', 'create table half (id int); select 1/0;')
  await t.rejects(migrate(url, dir), { message: /29990101000000_bad failed: division by zero/ })
  t.same(await query(url, "select to_regclass('half') as half"), [{ half: null }])
  await t.rejects(migrate(url, dir), { message: /29990101000000_bad failed earlier/ })
})

t.test('an index is built beside the traffic while others wait for their turn to migrate', async t => {
  const url = await nameDatabase(t)
  const dir = await copyMigrations(t)
  await migrate(url, dir)
  await addMigration(dir, '29990101000000_index', 'create index concurrently late on events (slot, name);')
  const pool = openPool(url, { max: 1 })
  t.teardown(() => pool.end())
  const client = await pool.connect()
  t.teardown(() => client.release())
  await client.query('begin isolation level repeatable read; select 1')
  const migrations = [migrate(url, dir), migrate(url, dir), migrate(url, dir)]
  await waitFor(
    async () =>
      (await query(url, `select 1 from pg_stat_activity where wait_event = 'virtualxid'`)).length === 1,
    { what: 'the index to wait for the transaction that was open before' },
  )
  await client.query('commit')
  t.same((await Promise.all(migrations)).flat(), ['29990101000000_index'])
  t.same(await query(url, `select indisvalid from pg_index where indexrelid = 'late'::regclass`), [
    { indisvalid: true },
  ])
})

t.test('a migration that waits for a lock lets the queries behind it pass', async t => {
  const url = await nameDatabase(t)
  const dir = await copyMigrations(t)
  await migrate(url, dir)
  await addMigration(dir, '29990101000000_column', 'alter table events add column later text;')
  const pool = openPool(url, { max: 1 })
  t.teardown(() => pool.end())
  const client = await pool.connect()
  t.teardown(() => client.release())
  await client.query('begin; select count(*) from events')
  const migrating = migrate(url, dir)
  await waitFor(
    async () =>
      (await query(url, `select 1 from pg_locks where relation = 'events'::regclass and not granted`))[0],
    { what: 'the migration to wait for its lock' },
  )
  t.same(
    await query(url, `set statement_timeout = '2s'; select count(*) from events`).then(() => 'answered'),
    'answered',
  )
  await client.query('commit')
  t.same(await migrating, ['29990101000000_column'])
})

t.test('a migration that finds the lock taken names the holder', async t => {
  const url = await nameDatabase(t)
  await migrate(url)
  const pool = openPool(url, { max: 1 })
  t.teardown(() => pool.end())
  const client = await pool.connect()
  t.teardown(() => client.release())
  await client.query("set application_name = 'somebody'")
  await client.query('select pg_advisory_lock(72707369)')
  const { pid } = (await client.query<{ pid: number }>('select pg_backend_pid() as pid')).rows[0]!
  await t.rejects(migrate(url, undefined, { lockTimeoutMs: 200 }), {
    code: 'STORE_MIGRATION_FAILED',
    message: new RegExp(`held the migration lock for 200 ms: process ${pid} \\(somebody, from .*, idle for`),
  })
  await client.query('select pg_advisory_unlock_all()')
  t.same(await migrate(url), [], 'and goes on when it is free')
})

t.test('a failed migration runs again after it was marked', async t => {
  const url = await nameDatabase(t)
  const dir = await copyMigrations(t)
  const name = '29990101000000_bad'
  await addMigration(dir, name, 'select 1/0;')
  await t.rejects(migrate(url, dir), { message: /division by zero/ })
  await addMigration(dir, name, 'create table mended (id int);')
  await t.rejects(migrate(url, dir), { message: new RegExp(`--rolled-back ${name}`) })
  await markRolledBack(url, name)
  t.same(await migrate(url, dir), [name])
  await t.rejects(markRolledBack(url, name), { message: /no failed migration/ })
})
