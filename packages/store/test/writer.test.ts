// A transaction that goes past the client commits everything or nothing, whoever waited for what.
import { openStore } from '@payment-tracking/store'
import { createDatabase, type TestContext } from '@payment-tracking/testkit'
import t from 'tap'
import { Prisma } from '../src/generated/client.js'

const PATIENT_MS = 30_000

async function openDatabase(t: TestContext) {
  const database = await createDatabase(t)
  await database.pool.query('create table notes (n int primary key, text text)')
  const store = openStore({ DATABASE_URL: database.url, poolSize: 1 })
  t.teardown(() => store.close())
  const note = (n: number, text = '') => Prisma.sql`insert into notes values (${n}, ${text})`
  const read = async () =>
    (await database.pool.query<{ n: number }>('select n from notes')).rows.map(({ n }) => n)
  return { ...database, store, note, read }
}

t.test('statements run in the order they were called, and commit together', async t => {
  const { store, note, read } = await openDatabase(t)
  const seen = await store.writer.transaction(async tx => {
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

t.test('what was sent and failed fails the transaction, though nobody waited for it', async t => {
  const { store, note, read } = await openDatabase(t)
  const twice = store.writer.transaction(async tx => {
    tx.send(note(1))
    tx.send(note(1))
    tx.send(Prisma.sql`select * from nowhere`)
    return Promise.resolve('done')
  }, PATIENT_MS)
  await t.rejects(twice, { code: '23505' }, 'the first failure is told, not one that follows from it')
  const asked = store.writer.transaction(async tx => {
    tx.send(note(1))
    tx.send(note(1))
    await tx.$queryRaw`select 1`
  }, PATIENT_MS)
  await t.rejects(asked, { code: '23505' }, 'also to whoever asks next')
  const ours = store.writer.transaction(async tx => {
    tx.send(note(1))
    return Promise.reject(new Error('ours'))
  }, PATIENT_MS)
  await t.rejects(ours, { message: 'ours' })
  t.strictSame(await read(), [])
  t.strictSame(store.poolUse(), { limit: 2, inUse: 0, idle: 1, waiting: 0 }, 'the connection serves again')
})

t.test('a transaction that is kept waiting too long, or loses its connection, is undone', async t => {
  const { store, note, read, pool } = await openDatabase(t)
  const slow = store.writer.transaction(async tx => {
    tx.send(note(0))
    await tx.$queryRaw`select pg_sleep(60)`
  }, 50)
  await t.rejects(slow, { message: 'Query read timeout' })
  const cut = store.writer.transaction(async tx => {
    const [row] = await tx.$queryRaw<{ pid: number }[]>`select pg_backend_pid() as pid`
    tx.send(note(1))
    await pool.query('select pg_terminate_backend($1)', [row!.pid])
    await tx.$queryRaw`select 1`
  }, PATIENT_MS)
  await t.rejects(cut)
  t.strictSame(await read(), [])
  await store.writer.transaction(async tx => Promise.resolve(tx.send(note(2))), PATIENT_MS)
  t.strictSame(await read(), [2])
})

t.test('lists hold what texts hold', async t => {
  const { store } = await openDatabase(t)
  const texts = ['', 'NULL', 'null', '{}', 'a,b', '"', '\\', '\\"', ' ', '\n\t', 'ü☕', "'", null]
  const rows = await store.writer.transaction(
    tx => tx.$queryRaw<{ text: string }[]>`select * from unnest(${texts}::text[]) as text`,
    PATIENT_MS,
  )
  t.strictSame(
    rows.map(({ text }) => text),
    texts,
  )
})
