// A pipelined transaction commits everything or nothing, whichever statements were awaited.
import { setImmediate as giveWay } from 'node:timers/promises'
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
  t.match(await twice.catch(errorOf), { code: 'STORE_REFUSED', sqlState: '23505' }, 'the first error')
  const asked = run(store, async tx => {
    tx.send(note(1))
    tx.send(note(1))
    await tx.$queryRaw`select 1`
  })
  t.match(await asked.catch(errorOf), { code: 'STORE_REFUSED', sqlState: '23505' }, 'so does the next')
  const byModel = run(store, tx => {
    tx.send(note(1))
    const same = { environment: 'twice' }
    tx.sendModel(client => client.leaseUse.createMany({ data: [same, same] }))
    tx.send(note(2))
    return Promise.resolve('done')
  })
  t.match(await byModel.catch(errorOf), { code: 'STORE_REFUSED' }, 'a model that nobody awaits fails it, too')
  const ours = run(store, async tx => {
    tx.send(note(1))
    return Promise.reject(new Error('ours'))
  })
  await t.rejects(ours, { code: 'STORE_FAULT', cause: { message: 'ours' } }, 'our own error is no outage')
  t.strictSame(await read(), [])
  t.strictSame(store.poolUse(), { limit: 1, inUse: 0, idle: 1, waiting: 0 }, 'the connection serves again')
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
  const foundTexts = rows.map(({ text }) => text)
  t.strictSame(foundTexts, texts)
})

t.test('a transaction is undone when a statement takes longer than it may', async t => {
  const { store, note, read } = await openDatabase(t)
  const slow = store.database.pipelinedTransaction(async tx => {
    tx.send(note(0))
    await tx.$queryRaw`select pg_sleep(60)`
  }, 50)
  await t.rejects(slow, { code: 'STORE_UNAVAILABLE', cause: { message: /Query read timeout/ } })
  t.strictSame(await read(), [])
})

t.test('the driver gets statements in the order of their calls, awaited or not', async t => {
  const { store, pool } = await openDatabase(t)
  await pool.query('create table calls (nth serial, n int)')
  const call = (n: number) => sql`insert into calls (n) values (${n})`
  const CALLS = 60
  await run(store, async tx => {
    for (let n = 0; n < CALLS; n += 1) {
      if (n % 3 === 0) tx.send(call(n))
      else if (n % 3 === 1) void tx.$executeRaw(call(n))
      else void tx.$queryRaw(sql`${call(n)} returning n`)
      if (n % 7 === 0) await Promise.resolve()
      if (n % 11 === 0) await giveWay()
      if (n % 13 === 0) await tx.$queryRaw`select 1`
    }
  })
  const { rows } = await pool.query<{ n: number }>('select n from calls order by nth')
  const storedNs = rows.map(({ n }) => n)
  t.strictSame(
    storedNs,
    Array.from({ length: CALLS }, (_, n) => n),
  )
})

t.test('what does not get to the driver fails the transaction', async t => {
  const { store, note, read } = await openDatabase(t)
  const round: Record<string, unknown> = {}
  round.self = round
  const failed = run(store, async tx => {
    tx.send(note(1))
    tx.send(sql`insert into notes values (2, ${round})`)
    tx.send(note(3))
    return Promise.resolve()
  })
  await t.rejects(failed, { code: 'STORE_FAULT' })
  t.strictSame(await read(), [])
})

t.test('nothing is stored of what comes when the transaction ends, or later', async t => {
  const { store, note, read } = await openDatabase(t)
  let late: PipelinedTx | undefined
  const failed = run(store, async tx => {
    late = tx
    for (let n = 0; n < 20; n += 1) tx.send(note(n))
    return Promise.reject(new Error('ours'))
  })
  await t.rejects(failed, { code: 'STORE_FAULT', cause: { message: 'ours' } })
  late!.send(note(30))
  await t.rejects(late!.$queryRaw(sql`${note(31)} returning n`))
  t.strictSame(await read(), [])
  await run(store, async tx => Promise.resolve(tx.send(note(40))))
  await t.rejects(late!.$executeRaw(note(41)))
  t.strictSame(await read(), [40])
})

t.test('what fails after a savepoint can be undone alone', async t => {
  const { store, note, read } = await openDatabase(t)
  await run(store, async tx => {
    tx.send(note(1))
    tx.send(sql`savepoint here`)
    tx.send(note(1))
    await tx.$queryRaw`select 1`.catch(errorOf)
    tx.send(sql`rollback to savepoint here`)
    tx.send(note(2))
  })
  t.strictSame(await read(), [1, 2])
})

t.test('statements of different tables go as one', async t => {
  const { store, note, read, pool } = await openDatabase(t)
  await pool.query('create table others (n int)')
  await run(store, async tx => {
    tx.together(() => {
      tx.send(note(1))
      tx.send(sql`insert into others values (${7})`)
      tx.send(sql`insert into others select count(*) from notes`)
    })
    tx.together(() => {})
    return Promise.resolve()
  })
  t.strictSame(await read(), [1])
  const { rows } = await pool.query<{ n: number }>('select n from others order by n')
  t.strictSame(rows, [{ n: 0 }, { n: 7 }], 'each sees what was there before')
})

t.test("Prisma's own time limit ends no transaction", async t => {
  const { store, note, read } = await openDatabase(t)
  await run(store, async tx => {
    tx.send(note(1))
    await tx.$queryRaw`select pg_sleep(5.3)`
    tx.send(note(2))
  })
  t.strictSame(await read(), [1, 2])
})
