// Lookups share connections, and no lookup changes the answer of another.
import { waitFor } from '@payment-tracking/testkit'
import t, { type Test } from 'tap'
import type { Store } from '../../../src/core/database/open-store.js'
import { sql } from '../../../src/core/database/sql.js'
import { openTestStore } from '../../open-test-store.js'

const openLookups = (t: Test, statementTimeoutMs = 60_000) =>
  openTestStore(t, { poolSize: 2, statementTimeoutMs })

const count = (store: Store, n: number) =>
  store.database.lookUp<{ n: number; pid: number }>(sql`select ${n}::int as n, pg_backend_pid() as pid`)
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'answered',
    (error: { code: string }) => error.code,
  )

t.test('many concurrent lookups use two connections, each with its own answer', async t => {
  const { store } = await openLookups(t)
  const answers = await Promise.all(Array.from({ length: 100 }, (_, n) => count(store, n)))
  const answeredNs = answers.map(([row]) => row!.n)
  t.same(
    answeredNs,
    Array.from({ length: 100 }, (_, n) => n),
  )
  t.equal(new Set(answers.map(([row]) => row!.pid)).size, 2)
  t.match(store.poolUse(), { limit: 4, inUse: 0, idle: 2 })
})

t.test('a lookup goes to the pool while both connections have 64 unanswered statements', async t => {
  const { store, database } = await openLookups(t)
  const locker = await database.pool.connect()
  t.teardown(() => locker.release())
  await locker.query('select pg_advisory_lock(1)')
  const wait = (n: number) => store.database.lookUp(sql`select ${n}::int, pg_advisory_lock_shared(1)::text`)
  const slow = [wait(1), wait(2)]
  const later = Array.from({ length: 126 }, (_, n) => count(store, n))
  t.equal((await count(store, 127))[0]!.n, 127, 'answered while the others wait')
  await locker.query('select pg_advisory_unlock(1)')
  await Promise.all([...slow, ...later])
})

t.test('a failing lookup does not fail other lookups', async t => {
  const { store } = await openLookups(t)
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, n) =>
      codeOf(store.database.lookUp(sql`select 1 / ${n % 10 === 0 ? 0 : 1}::int`)),
    ),
  )
  t.equal(answers.filter(code => code === 'STORE_REFUSED').length, 2)
  t.equal(answers.filter(code => code === 'answered').length, 18)
})

t.test('lookups behind a failed preparation fail for the same reason, and never as STORE_FAULT', async t => {
  const { store, database } = await openLookups(t, 200)
  const locker = await database.pool.connect()
  t.teardown(() => locker.release())
  await locker.query('begin; lock table stream_head in access exclusive mode')
  const ask = () => store.database.lookUp<unknown>(sql`select position from stream_head`)
  const codesOfAll = new Set(await Promise.all(Array.from({ length: 8 }, () => codeOf(ask()))))
  t.same(codesOfAll, new Set(['STORE_TIMEOUT']))
  await locker.query('rollback')
  t.equal((await ask()).length, 1)
})

t.test('a connection that breaks fails its unanswered lookups as an outage, and is opened again', async t => {
  const { store } = await openLookups(t)
  const [row] = await count(store, 1)
  const waiting = [1, 2].map(() => codeOf(store.database.lookUp(sql`select pg_sleep(30)::text`)))
  await store.database.read(sql`select pg_sleep(0.2)::text`)
  await store.database.read(sql`
      select pg_terminate_backend(pid)::text from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid()`)
  t.same(await Promise.all(waiting), ['STORE_UNAVAILABLE', 'STORE_UNAVAILABLE'])
  const again = await waitFor(() => count(store, 2).catch(() => undefined), { what: 'lookups again' })
  t.not(again[0]!.pid, row!.pid)
})
