// Pages of work of two processes, on a server that dies between them, and on one that nobody has verified. That pages of any size end in
// the rows that chain order gives is a law of packages/store/test/laws.
import { openStore, type Store } from '@payment-tracking/store/core'
import { readHeadNow, runTaskPage, type TaskPage } from '@payment-tracking/store/ingest'
import {
  createDatabase,
  dumpProjections,
  openPrivateServers,
  openTestStore,
  waitFor,
} from '@payment-tracking/testkit'
import t from 'tap'
import { PROGRAM } from './ingest-messages.js'
import { created, ingest, pay, payments, PERIODS, rowsOf, SMALL, userPayment } from './recompute-history.js'

t.test('two processes at once, and a database that dies between pages', async t => {
  const inOrder = [userPayment, created(1, 2, PERIODS), ...payments, pay(9_000)]
  const reference = await rowsOf(t, inOrder)
  const servers = await openPrivateServers(t)
  const database = await createDatabase(t, { serverUrl: servers.databaseUrl })
  const open = (): Store => {
    const store = openStore({ DATABASE_URL: database.url, poolSize: 2 })
    t.teardown(() => store.close())
    return store
  }
  const processes = [open(), open()]
  await ingest(processes[0]!, [userPayment, ...payments])
  await ingest(processes[1]!, [created(1, 2, PERIODS)])
  const pages: TaskPage[] = []
  let failures = 0
  /** As the loop of ingest: a page that failed comes again. */
  const work = async (store: Store): Promise<void> => {
    for (;;) {
      const page = await runTaskPage(store, { programId: PROGRAM.programId, sizer: SMALL }).catch(
        () => 'failed' as const,
      )
      if (page.length === 0) return
      if (page !== 'failed') pages.push(...page)
      else {
        failures += 1
        await waitFor(() => store.ping().then(() => true), { what: 'the database' })
      }
    }
  }
  const working = Promise.all(processes.map(work))
  await waitFor(() => pages.length >= 3, { what: 'three pages' })
  await servers.private.postgres!.kill()
  await servers.private.postgres!.restart()
  await Promise.all([working, waitFor(() => ingest(processes[0]!, [pay(9_000)]), { what: 'a payment' })])
  for (const store of processes) await work(store)
  t.ok(failures > 0, 'a page was lost')
  const { rows } = await database.pool.query('select 1 from work')
  t.same(rows, [])
  const announced = pages.flatMap(({ lifecycles }) => lifecycles.map(({ type }) => type))
  t.ok(
    announced.length <= 1,
    'the policy is announced at most once: a page that was committed without an answer notifies by its rows',
  )
  t.strictSame(await dumpProjections(database.pool), reference)
})

t.test('no page is done on a server that nobody has verified', async t => {
  const { store, database } = await openTestStore(t)
  await ingest(store, [userPayment, ...payments])
  await ingest(store, [created(1, 2, PERIODS)])
  const dump = async () => ({
    ...(await dumpProjections(database.pool)),
    work: (await database.pool.query('select kind, key, cursor, handled from work')).rows,
  })
  const before = await dump()
  const { serverRun } = await readHeadNow(store)
  const { programId } = PROGRAM
  // Postgres was started anew since, perhaps without its last commits.
  await t.rejects(runTaskPage(store, { programId, serverRun: `${serverRun}1` }), { code: 'STORE_UNVERIFIED' })
  t.strictSame(await dump(), before)
  t.match(await runTaskPage(store, { programId, serverRun }), [{ kind: 'policy' }])
})
