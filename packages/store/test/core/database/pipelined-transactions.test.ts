// A pipelined transaction commits everything or nothing, whichever statements were awaited.
import { createDatabase, type TestContext } from '@payment-tracking/testkit'
import t from 'tap'
import { openStore, type Store } from '../../../src/core/database/open-store.js'
import type { PipelinedTx } from '../../../src/core/database/pipelined-transactions.js'
import { sql } from '../../../src/core/database/sql.js'

const PATIENT_MS = 30_000

const errorOf = (error: unknown) => error

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

const run = <T>(store: Store, work: (tx: PipelinedTx) => Promise<T>): Promise<T> =>
  store.database.pipelinedTransaction(work, PATIENT_MS)

t.test('statements run in the order they were called, and commit together', async t => {
  const { store, note, read } = await openDatabase(t)
  const seen = await run(store, async tx => {
    tx.send(note(1))
    tx.send(note(2))
    const rows = await tx.$queryRaw<{ n: number }[]>`select n from notes order by n`
    tx.send(note(3))
    t.strictSame(await read(), [], 'nobody else sees them before')
    return rows
  })
  t.strictSame(seen, [{ n: 1 }, { n: 2 }])
  t.strictSame(await read(), [1, 2, 3])
})

t.test('a statement that fails fails the transaction, awaited or not', async t => {
  const { store, note, read } = await openDatabase(t)
  const twice = run(store, async tx => {
    tx.send(note(1))
    tx.send(note(1))
    tx.send(sql`select * from nowhere`)
    return Promise.resolve('done')
  })
  t.match(
    await twice.catch(errorOf),
    { code: 'STORE_REFUSED', sqlState: '23505' },
    'the error is that of the first statement that failed',
  )
  const asked = run(store, async tx => {
    tx.send(note(1))
    tx.send(note(1))
    await tx.$queryRaw`select 1`
  })
  t.match(
    await asked.catch(errorOf),
    { code: 'STORE_REFUSED', sqlState: '23505' },
    'the next awaited statement rejects with it too',
  )
  const ours = run(store, async tx => {
    tx.send(note(1))
    return Promise.reject(new Error('ours'))
  })
  await t.rejects(
    ours,
    { code: 'STORE_FAULT', cause: { message: 'ours' } },
    'an error of our own is no outage',
  )
  t.strictSame(await read(), [])
  t.strictSame(store.poolUse(), { limit: 2, inUse: 0, idle: 1, waiting: 0 }, 'the connection serves again')
})

t.test('a transaction is undone when the connection breaks', async t => {
  const { store, note, read, pool } = await openDatabase(t)
  const cut = run(store, async tx => {
    const [row] = await tx.$queryRaw<{ pid: number }[]>`select pg_backend_pid() as pid`
    tx.send(note(1))
    await pool.query('select pg_terminate_backend($1)', [row!.pid])
    await tx.$queryRaw`select 1`
  })
  await t.rejects(cut, { code: 'STORE_UNAVAILABLE' })
  t.strictSame(await read(), [])
  await run(store, async tx => Promise.resolve(tx.send(note(2))))
  t.strictSame(await read(), [2])
})

t.test('a list keeps every text that Postgres can hold', async t => {
  const { store } = await openDatabase(t)
  const texts = ['', 'NULL', 'null', '{}', 'a,b', '"', '\\', '\\"', ' ', '\n\t', 'ü☕', "'", null]
  const rows = await run(
    store,
    tx => tx.$queryRaw<{ text: string }[]>`select * from unnest(${texts}::text[]) as text`,
  )
  t.strictSame(
    rows.map(({ text }) => text),
    texts,
  )
})

t.test('values of every kind arrive, and integers and times come back whole', async t => {
  const { store } = await openDatabase(t)
  const at = new Date('2026-11-21T05:06:07.008Z')
  const [row] = await run(
    store,
    tx =>
      tx.$queryRaw<Record<string, unknown>[]>`
    select ${18446744073709551615n}::numeric::text as amount, ${9007199254740993n}::bigint as big, ${7}::int as small,
           ${at}::timestamptz as at, ${null}::text as nothing, ${[1n, null]}::bigint[] as big_list,
           ${true}::boolean as flag`,
  )
  const { big_list: list, ...others } = row!
  t.strictSame(others, {
    amount: '18446744073709551615',
    big: 9007199254740993n,
    small: 7,
    at,
    nothing: null,
    flag: true,
  })
  t.strictSame(String(list), '1,')
})

t.test('an awaited write tells how many rows it changed', async t => {
  const { store, note } = await openDatabase(t)
  t.equal(await run(store, tx => tx.$executeRaw(note(1))), 1)
})

t.test('a transaction is undone when a statement takes longer than it may', async t => {
  const { store, note, read } = await openDatabase(t)
  const slow = store.database.pipelinedTransaction(async tx => {
    tx.send(note(0))
    await tx.$queryRaw`select pg_sleep(60)`
  }, 50)
  await t.rejects(slow, { code: 'STORE_UNAVAILABLE', cause: { message: 'Query read timeout' } })
  t.strictSame(await read(), [])
})
