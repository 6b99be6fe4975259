// Who asks for the same at the same time shares a read, and nobody gets what began before it asked.
import { setTimeout as sleep } from 'node:timers/promises'
import { waitFor } from '@payment-tracking/testkit'
import t from 'tap'
import { shareEqual } from '../../src/database/share-equal.js'
import { sql } from '../../src/database/sql.js'
import { openTestStore } from '../open-test-store.js'

function withResolvers() {
  let [resolve, reject]: [(text: string) => void, (error: Error) => void] = [() => {}, () => {}]
  const promise = new Promise<string>((resolved, rejected) => ([resolve, reject] = [resolved, rejected]))
  return { promise, resolve, reject }
}

/** Work that ends when it is told to. */
function openWork() {
  const begun: ReturnType<typeof withResolvers>[] = []
  const work = () => {
    begun.push(withResolvers())
    return begun.at(-1)!.promise
  }
  return { begun, work }
}

t.test(
  'callers that come while equal work is under way share the next, and other work is their own',
  async t => {
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
  },
)

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

t.test('a read knows what was committed before it was asked, whatever runs already', async t => {
  const { store, pool } = await openTestStore(t)
  await pool.query('create table paid (n int); insert into paid values (1)')
  const holder = await pool.connect()
  t.teardown(() => holder.release())
  for (const lane of ['read', 'lookUp'] as const) {
    await pool.query('update paid set n = 1')
    await holder.query('select pg_advisory_lock(1)')
    // The snapshot is taken before the wait.
    const ask = async () => {
      const [row] = await store.database[lane]<{ n: number }>(
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
    t.same(await Promise.all([before, ...after]), [1, 2, 2], lane)
  }
})
