// Who asks for the same at the same time shares a read, and nobody gets what began before it asked. What nobody waits for ends.
import { setTimeout as sleep } from 'node:timers/promises'
import { waitFor } from '@payment-tracking/testkit'
import t from 'tap'
import { inOneTransaction } from '../../../src/core/database/join-transactions.js'
import { shareEqual } from '../../../src/core/database/share-equal.js'
import { sql } from '../../../src/core/database/sql.js'
import { StoreTimeoutError } from '../../../src/core/errors.js'
import { boundReads } from '../../../src/core/database/bound-reads.js'
import { openTestStore } from '../../open-test-store.js'

function withResolvers() {
  let [resolve, reject]: [(text: string) => void, (error: Error) => void] = [() => {}, () => {}]
  const promise = new Promise<string>((resolved, rejected) => ([resolve, reject] = [resolved, rejected]))
  return { promise, resolve, reject }
}

/** Work that ends when it is told to. */
function openWork() {
  const begun: (ReturnType<typeof withResolvers> & { signal: AbortSignal | undefined })[] = []
  const work = (signal?: AbortSignal) => {
    begun.push({ ...withResolvers(), signal })
    return begun.at(-1)!.promise
  }
  return { begun, work }
}

t.test('callers that come while equal work is under way share the next; other work is their own', async t => {
  const shared = shareEqual<string>()
  const { begun, work } = openWork()
  const first = shared('a', work)
  const waiting = [shared('a', work), shared('a', work), shared('a', work)]
  const other = shared('b', work)
  t.equal(begun.length, 2, 'the first of each key begins at once')
  begun[0]!.resolve('first')
  begun[1]!.resolve('other')
  t.equal(await first, 'first')
  t.equal(await other, 'other')
  await sleep(0)
  t.equal(begun.length, 3)
  const later = shared('a', work)
  begun[2]!.resolve('second')
  t.same(await Promise.all(waiting), ['second', 'second', 'second'])
  await sleep(0)
  begun[3]!.resolve('third')
  t.equal(await later, 'third', 'who comes while the next is under way waits for the one after it')
  t.equal(begun.length, 4)
})

t.test('a failure reaches those who shared it and nobody else', async t => {
  const shared = shareEqual<string>()
  const { begun, work } = openWork()
  const first = shared('a', work)
  const waiting = [shared('a', work), shared('a', work)]
  begun[0]!.reject(new Error('the first fails'))
  await t.rejects(first, { message: 'the first fails' })
  await sleep(0)
  begun[1]!.reject(new Error('the second fails'))
  for (const one of waiting) await t.rejects(one, { message: 'the second fails' })
  const after = shared('a', work)
  begun[2]!.resolve('again')
  t.equal(await after, 'again')
})

t.test('who leaves waits no longer, and a work ends when all have left', async t => {
  const shared = shareEqual<string>()
  const { begun, work } = openWork()
  const [one, two] = [new AbortController(), new AbortController()]
  const gone = new Error('gone')
  const first = shared('a', work, one.signal)
  t.equal(begun[0]!.signal, one.signal, 'a lone caller decides alone')
  const left = shared('a', work, one.signal)
  const stays = shared('a', work, two.signal)
  one.abort(gone)
  await t.rejects(left, gone, 'before the next work begins')
  begun[0]!.reject(gone)
  await t.rejects(first, gone)
  await sleep(0)
  t.notOk(begun[1]!.signal!.aborted, 'the other waits')
  two.abort(gone)
  await t.rejects(stays, gone)
  t.ok(begun[1]!.signal!.aborted)

  const again = shared('b', work, new AbortController().signal)
  const always = shared('b', work)
  begun[2]!.resolve('b')
  await again
  await sleep(0)
  t.equal(begun[3]!.signal, undefined, 'one who never leaves')
  begun[3]!.resolve('b')
  t.equal(await always, 'b')
})

t.test('a read that nobody waits for gives its connection back', async t => {
  const { store, pool } = await openTestStore(t, { poolSize: 1 })
  const gone = new StoreTimeoutError('gone')
  const open = () => {
    const controller = new AbortController()
    const { database } = boundReads(store, controller)
    return { database, leave: () => controller.abort(gone) }
  }
  const sessions = async () => {
    const { rows } = await pool.query<{ pid: number; query: string }>(
      `select pid, query from pg_stat_activity
        where datname = current_database() and state = 'active' and query like '%pg_sleep%' and pid <> pg_backend_pid()`,
    )
    return rows
  }
  const [running, waiting, later] = [open(), open(), open()]
  const slow = running.database.read(sql`select pg_sleep(600)::text`)
  const [session] = await waitFor(
    async () => {
      const found = await sessions()
      return found.length === 1 ? found : null
    },
    { what: 'the read that runs' },
  )
  const next = waiting.database.read(sql`select pg_sleep(601)::text`)
  const pid = later.database.read<{ pid: number }>(sql`select pg_backend_pid() as pid`)
  waiting.leave()
  await t.rejects(next, gone, 'one that waits for a connection leaves at once')
  t.same(await sessions(), [session], 'while the other runs')
  running.leave()
  await t.rejects(slow, gone)
  t.same(await pid, [{ pid: session!.pid }], 'the server cancels what runs; its connection answers the next')
  t.same(await sessions(), [])
  for (const name of ['read', 'lookUp'] as const)
    await t.rejects(running.database[name](sql`select 1 as after`), gone, 'and no other begins')
})

t.test('equal reads hung for ever after one of them was left before it began', async t => {
  const { store, pool } = await openTestStore(t, { poolSize: 1 })
  const holder = await pool.connect()
  t.teardown(() => holder.release())
  await holder.query('select pg_advisory_lock(2)')
  const statement = sql`select pg_advisory_xact_lock(2)::text as waited`
  const first = store.database.read(statement)
  const leaving = new AbortController()
  const next = boundReads(store, leaving).database.read(statement)
  leaving.abort(new StoreTimeoutError('gone'))
  await t.rejects(next, { message: 'gone' })
  await holder.query('select pg_advisory_unlock(2)')
  await first
  t.equal((await store.database.read(statement)).length, 1)
})

t.test('a request to cancel that comes too late hits no later statement', async t => {
  const { store } = await openTestStore(t, { poolSize: 1 })
  const gone = new StoreTimeoutError('gone')
  for (let n = 0; n < 30; n += 1) {
    const controller = new AbortController()
    const { database } = boundReads(store, controller)
    const short = database.read(sql`select pg_sleep(0.002)::text`)
    const next = store.database.read(sql`select pg_sleep(0.01)::text as slept`)
    // The statement ends by itself while the request is on its way.
    await sleep(1)
    controller.abort(gone)
    // It may have ended before.
    await short.catch(() => {})
    t.equal((await next).length, 1)
  }
})

t.test('a transaction that nobody waits for leaves nothing', async t => {
  const { store, pool } = await openTestStore(t)
  await pool.query('create table noted (n int)')
  const gone = new StoreTimeoutError('gone')
  const note = (n: number) => store.database.execute(sql`insert into noted values (${n})`)
  const controller = new AbortController()
  const work = async () => {
    await note(1)
    controller.abort(gone)
  }
  await t.rejects(inOneTransaction(store, work, controller.signal), gone, 'before the commit')
  await t.rejects(
    inOneTransaction(store, () => note(2), controller.signal),
    gone,
    'before it begins',
  )
  await inOneTransaction(store, () => note(3), new AbortController().signal)
  t.same((await pool.query('select n from noted')).rows, [{ n: 3 }])
})

t.test('a read knows what was committed before it was asked, whatever runs already', async t => {
  const { store, pool } = await openTestStore(t)
  await pool.query('create table paid (n int); insert into paid values (1)')
  const holder = await pool.connect()
  t.teardown(() => holder.release())
  for (const name of ['read', 'lookUp'] as const) {
    await pool.query('update paid set n = 1')
    await holder.query('select pg_advisory_lock(1)')
    // The snapshot is taken before the wait.
    const ask = async () => {
      const [row] = await store.database[name]<{ n: number }>(
        sql`select n, pg_advisory_xact_lock(1)::text as waited from paid`,
      )
      return row!.n
    }
    const before = ask()
    await waitFor(
      async () =>
        (await pool.query(`select 1 from pg_locks where locktype = 'advisory' and not granted`)).rowCount ===
        1,
      { what: 'the first read' },
    )
    await pool.query('update paid set n = 2')
    const after = [ask(), ask()]
    await holder.query('select pg_advisory_unlock(1)')
    t.same(await Promise.all([before, ...after]), [1, 2, 2], name)
  }
})
