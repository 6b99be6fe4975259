// Lookups share connections, and nothing of one shows in another.
import { lookUp, openStore, readFrom, type Store } from '@payment-tracking/store'
import { createDatabase, waitFor } from '@payment-tracking/testkit'
import t, { type Test } from 'tap'

async function openLines(t: Test, statementTimeoutMs = 60_000) {
  const database = await createDatabase(t)
  const store = openStore({ DATABASE_URL: database.url, poolSize: 2, statementTimeoutMs })
  t.teardown(() => store.close())
  return { store, database }
}

const count = (store: Store, n: number) =>
  lookUp(
    store,
    sql => sql.$queryRaw<{ n: number; pid: number }[]>`select ${n}::int as n, pg_backend_pid() as pid`,
  )
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'answered',
    (error: { code: string }) => error.code,
  )

t.test('many at once go over two connections, each with its own answer', async t => {
  const { store } = await openLines(t)
  const answers = await Promise.all(Array.from({ length: 100 }, (_, n) => count(store, n)))
  t.same(
    answers.map(([row]) => row!.n),
    Array.from({ length: 100 }, (_, n) => n),
  )
  t.equal(new Set(answers.map(([row]) => row!.pid)).size, 2)
  t.match(store.poolUse(), { limit: 5, inUse: 0, idle: 2 })
})

t.test('what comes while both are far behind goes to the pool', async t => {
  const { store } = await openLines(t)
  const slow = [1, 2].map(() => lookUp(store, sql => sql.$queryRaw`select pg_sleep(1)::text`))
  const behind = Array.from({ length: 126 }, (_, n) => count(store, n))
  const startedAt = performance.now()
  await count(store, 127)
  t.ok(performance.now() - startedAt < 900, 'is not kept waiting')
  await Promise.all([...slow, ...behind])
})

t.test('one that fails leaves the others', async t => {
  const { store } = await openLines(t)
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, n) =>
      codeOf(lookUp(store, sql => sql.$queryRaw`select 1 / ${n % 10 === 0 ? 0 : 1}::int`)),
    ),
  )
  t.equal(answers.filter(code => code === 'STORE_REFUSED').length, 2)
  t.equal(answers.filter(code => code === 'answered').length, 18)
})

t.test(
  'what relies on a preparation that failed has the same reason, and none is a fault of ours',
  async t => {
    const { store, database } = await openLines(t, 200)
    const locker = await database.pool.connect()
    t.teardown(() => locker.release())
    await locker.query('begin; lock table stream_head in access exclusive mode')
    const ask = () => lookUp(store, sql => sql.$queryRaw<unknown[]>`select position from stream_head`)
    t.same(
      new Set(await Promise.all(Array.from({ length: 8 }, () => codeOf(ask())))),
      new Set(['STORE_TIMEOUT']),
    )
    await locker.query('rollback')
    t.equal((await ask()).length, 1)
  },
)

t.test('a line that breaks fails what is on its way as an outage, and is opened anew', async t => {
  const { store } = await openLines(t)
  const [row] = await count(store, 1)
  const waiting = [1, 2].map(() => codeOf(lookUp(store, sql => sql.$queryRaw`select pg_sleep(30)::text`)))
  await readFrom(store, sql => sql.$queryRaw`select pg_sleep(0.2)::text`)
  await readFrom(
    store,
    sql => sql.$queryRaw`
      select pg_terminate_backend(pid)::text from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid()`,
  )
  t.same(await Promise.all(waiting), ['STORE_UNAVAILABLE', 'STORE_UNAVAILABLE'])
  const again = await waitFor(() => count(store, 2).catch(() => undefined), { what: 'lookups again' })
  t.not(again[0]!.pid, row!.pid)
})
