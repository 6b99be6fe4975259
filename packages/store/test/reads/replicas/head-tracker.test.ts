// The tracker of a database's head, over a real database whose head a test moves.
import { createDatabase, withClient, type TestContext } from '@payment-tracking/testkit'
import t from 'tap'
import { HeadTracker } from '../../../src/core/database/head-tracker.js'
import { openStore } from '../../../src/core/database/open-store.js'
import { sql } from '../../../src/core/database/sql.js'

async function openTracked(t: TestContext) {
  const { url } = await createDatabase(t)
  const heads: HeadTracker = new HeadTracker(() => store.database.lookUp)
  const store = openStore({ DATABASE_URL: url, onConnect: run => heads.greet(run), poolSize: 2 })
  t.teardown(() => store.close())
  const move = (position: number) =>
    withClient(url, client => client.query('update stream_head set position = $1', [position]))
  const cutConnections = () =>
    withClient(url, client =>
      client.query(
        'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
      ),
    )
  return { store, heads, move, cutConnections }
}

t.test('readers share one question', async t => {
  const { heads, move } = await openTracked(t)
  await move(7)
  const answers = await Promise.all(Array.from({ length: 20 }, async () => heads.head()))
  t.equal(new Set(answers).size, 1)
  t.equal(answers[0]!.position, 7n)
  t.notOk(heads.head(60_000) instanceof Promise, 'what is new enough costs nothing')
  await move(8)
  t.equal((await heads.head(0)).position, 8n)
})

t.test('a new connection is asked before its first statement', async t => {
  const { store, heads, move, cutConnections } = await openTracked(t)
  await move(9)
  await heads.head(0)
  t.equal(heads.breaks, 0)
  await cutConnections()
  await move(4)
  // Another server behind the address: whoever reads from it finds that the tracker knows already.
  await store.database.read(sql`select 1`).catch(() => store.database.read(sql`select 1`))
  t.equal(heads.newest?.position, 4n)
  t.equal(heads.breaks, 1)
  await heads.head(0)
  t.equal(heads.breaks, 1, 'seen once')
})

t.test('a connection that does not say its head makes it unknown', async t => {
  const { store, heads, move, cutConnections } = await openTracked(t)
  await move(3)
  await heads.head(0)
  await store.database.write(sql`alter table stream_head rename to moved`)
  await cutConnections()
  await store.database.read(sql`select 1`).catch(() => store.database.read(sql`select 1`))
  t.equal(heads.newest, undefined)
  t.equal(heads.breaks, 1)
})
