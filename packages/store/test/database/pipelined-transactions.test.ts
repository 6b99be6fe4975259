// A pipelined transaction commits everything or nothing, whichever statements were awaited.
import { createDatabase, type TestContext } from '@payment-tracking/testkit'
import t from 'tap'
import { openStore } from '../../src/database/open-store.js'
import { sql } from '../../src/database/sql.js'

const PATIENT_MS = 30_000

async function openDatabase(t: TestContext) {
  const database = await createDatabase(t)
  await database.pool.query('create table notes (n int primary key, text text)')
  const store = openStore({ DATABASE_URL: database.url, poolSize: 1 })
  t.teardown(() => store.close())
  const note = (n: number, text = '') => sql`insert into notes values (${n}, ${text})`
  const read = async () =>
    (await database.pool.query<{ n: number }>('select n from notes')).rows.map(({ n }) => n)
  return { ...database, store, note, read }
}

t.test('statements run in the order they were called, and commit together', async t => {
  const { store, note, read } = await openDatabase(t)
  const seen = await store.database.pipelinedTransaction(async tx => {
    tx.send(note(1))
    tx.send(note(2))
    const rows = await tx.$queryRaw<{ n: number }[]>`select n from notes order by n`
    tx.send(note(3))
    t.strictSame(await read(), [], 'nobody else sees them before')
    return rows
  }, PATIENT_MS)
  t.strictSame(seen, [{ n: 1 }, { n: 2 }])
  t.strictSame(await read(), [1, 2, 3])
})

t.test('a statement that fails fails the transaction, awaited or not', async t => {
  const { store, note, read } = await openDatabase(t)
  const twice = store.database.pipelinedTransaction(async tx => {
    tx.send(note(1))
    tx.send(note(1))
    tx.send(sql`select * from nowhere`)
    return Promise.resolve('done')
  }, PATIENT_MS)
  await t.rejects(
    twice,
    { code: 'STORE_REFUSED', cause: { code: '23505' } },
    'the error is that of the first statement that failed',
  )
  const asked = store.database.pipelinedTransaction(async tx => {
    tx.send(note(1))
    tx.send(note(1))
    await tx.$queryRaw`select 1`
  }, PATIENT_MS)
  await t.rejects(
    asked,
    { code: 'STORE_REFUSED', cause: { code: '23505' } },
    'the next awaited statement rejects with it too',
  )
  const ours = store.database.pipelinedTransaction(async tx => {
    tx.send(note(1))
    return Promise.reject(new Error('ours'))
  }, PATIENT_MS)
  await t.rejects(
    ours,
    { code: 'STORE_FAULT', cause: { message: 'ours' } },
    'an error of our own is no outage',
  )
  t.strictSame(await read(), [])
  t.strictSame(store.poolUse(), { limit: 2, inUse: 0, idle: 1, waiting: 0 }, 'the connection serves again')
})

t.test('a transaction is undone when a statement times out or the connection breaks', async t => {
  const { store, note, read, pool } = await openDatabase(t)
  const slow = store.database.pipelinedTransaction(async tx => {
    tx.send(note(0))
    await tx.$queryRaw`select pg_sleep(60)`
  }, 50)
  await t.rejects(slow, { code: 'STORE_UNAVAILABLE', cause: { message: 'Query read timeout' } })
  const cut = store.database.pipelinedTransaction(async tx => {
    const [row] = await tx.$queryRaw<{ pid: number }[]>`select pg_backend_pid() as pid`
    tx.send(note(1))
    await pool.query('select pg_terminate_backend($1)', [row!.pid])
    await tx.$queryRaw`select 1`
  }, PATIENT_MS)
  await t.rejects(cut, { code: 'STORE_UNAVAILABLE' })
  t.strictSame(await read(), [])
  await store.database.pipelinedTransaction(async tx => Promise.resolve(tx.send(note(2))), PATIENT_MS)
  t.strictSame(await read(), [2])
})

t.test('a list keeps every text that Postgres can hold', async t => {
  const { store } = await openDatabase(t)
  const texts = ['', 'NULL', 'null', '{}', 'a,b', '"', '\\', '\\"', ' ', '\n\t', 'ü☕', "'", null]
  const rows = await store.database.pipelinedTransaction(
    tx => tx.$queryRaw<{ text: string }[]>`select * from unnest(${texts}::text[]) as text`,
    PATIENT_MS,
  )
  t.strictSame(
    rows.map(({ text }) => text),
    texts,
  )
})
