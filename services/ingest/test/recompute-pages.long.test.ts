// What follows from one message for many rows is done in pages after the message's commit, and ends in the rows that chain
// order gives.
import { openStore, type Store } from '@payment-tracking/store/core'
import { readHeadNow, runTaskPage, type TaskPage } from '@payment-tracking/store/ingest'
import { readPaymentStats } from '@payment-tracking/store/reads'
import {
  createDatabase,
  dumpProjections,
  insertWebhook,
  openPrivateServers,
  openTestStore,
  waitFor,
} from '@payment-tracking/testkit'
import t from 'tap'
import { PROGRAM } from './ingest-messages.js'
import {
  countWork,
  created,
  drain,
  GATEWAY,
  ingest,
  MANY,
  MINT,
  OWNER,
  pageOf,
  pay,
  payments,
  PERIODS,
  RECIPIENT,
  retraction,
  rowsOf,
  SMALL,
  START,
  userPayment,
} from './recompute-history.js'

t.test('a policy that comes after its payments, through a crash between two pages', async t => {
  const inOrder = [userPayment, created(1, 2, PERIODS), ...payments, pay(9_000)]
  const reference = await rowsOf(t, inOrder)
  const { store, database } = await openTestStore(t)
  await ingest(store, [userPayment, ...payments])
  await ingest(store, [created(1, 2, PERIODS)])
  t.equal(await countWork(database), 1, 'the Created event leaves one row of work')
  const { rows: before } = await database.pool.query('select 1 from policies where live')
  t.equal(before.length, 0, 'until the last page, readers find the policy as it was')

  const [first] = await pageOf(store)
  t.equal(first?.kind, 'policy')
  const { rows: known } = await database.pool.query(
    'select 1 from events where recipient = $1 and amount > 0',
    [RECIPIENT],
  )
  t.equal(known.length, 1_000, 'the batch derives 500 payments, and a page as many')
  // The process ends here. Another one goes on.
  const other = openStore({ DATABASE_URL: database.url, poolSize: 2 })
  t.teardown(() => other.close())
  const [meanwhile] = await ingest(other, [pay(9_000)])
  t.same(
    meanwhile!.payments.map(({ recipient, payer, tokenMint }) => ({ recipient, payer, tokenMint })),
    [{ recipient: RECIPIENT, payer: OWNER, tokenMint: MINT }],
    'a payment that comes meanwhile is announced at once, with its details',
  )
  const pages = await drain(other)
  t.equal(pages.filter(({ kind }) => kind === 'policy').length, 1)
  t.same(
    pages.flatMap(({ lifecycles }) => lifecycles.map(({ type }) => type)),
    ['subscription.created'],
    'the policy is announced once, when its figures are right',
  )
  t.strictSame(await dumpProjections(database.pool), reference)
})

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

t.test('a user payment that comes after its policies', async t => {
  const policies = Array.from({ length: 120 }, (_, at) => [
    created(at + 2, 2, PERIODS),
    pay(5_000 + at, at + 2),
  ])
  // Each Created event stands in a slot of its own.
  const events = policies.flatMap(([, payment], at) => [created(at + 2, 2_000 + at, PERIODS), payment!])
  const reference = await rowsOf(t, [userPayment, ...events])
  const { store, database } = await openTestStore(t)
  await ingest(store, events)
  await ingest(store, [userPayment])
  t.equal(await countWork(database), 1)
  t.ok((await drain(store)).length >= 3, 'a page looks at 50 policies')
  t.strictSame(await dumpProjections(database.pool), reference)
})

t.test('a payment that moves every later period', async t => {
  const all = [userPayment, created(1, 2, PERIODS), ...payments]
  const late = pay(111)
  const reference = await rowsOf(t, [...all, late])
  const inOrder = [userPayment, created(1, 2, PERIODS), late, ...payments]
  t.strictSame(await rowsOf(t, inOrder), reference)
})

t.test('an hour of many payments that loses its extremes', async t => {
  const all = [userPayment, created(1, 2, PERIODS), ...payments]
  const [first, last] = [10, 10 + 3 * (MANY - 1)]
  // Of the least amount.
  const least = 97
  const gone = [retraction(first), retraction(least), retraction(last)]
  const reference = await rowsOf(t, [...gone, ...all])
  const { store, database } = await openTestStore(t)
  await ingest(store, all)
  await ingest(store, gone)
  const { rows } = await database.pool.query(
    `select count, min from payment_token_stats where gateway = $1 and span = 86400`,
    [GATEWAY],
  )
  t.same(rows, [{ count: String(MANY - 3), min: null }], 'an unknown extreme is null')
  const { count, firstAt, byToken } = await readPaymentStats(store, { gateway: GATEWAY })
  t.equal(count, BigInt(MANY - 3))
  t.ok(byToken[0]!.min !== null && byToken[0]!.max !== null, 'and a reader finds it')
  t.equal(firstAt!.getTime(), (START + first + 3) * 1000)
  await ingest(store, [pay(9_000)])
  const pages = await drain(store)
  t.ok(pages.some(({ kind }) => kind === 'hour'))
  await ingest(store, [retraction(9_000)])
  await drain(store)
  const figures = await dumpProjections(database.pool)
  t.strictSame(figures.payment_stats, reference.payment_stats)
  t.strictSame(figures.payment_token_stats, reference.payment_token_stats)
})

t.test('a watermark that makes many payments final for a webhook', async t => {
  const { store, database } = await openTestStore(t)
  await insertWebhook(database.pool, GATEWAY, { finality: 'finalized' })
  await ingest(store, [userPayment, created(1, 2, PERIODS), ...payments])
  const final = { subject: 'chain.events.control.finalized', bytes: Buffer.from('{"slot":1000000}') }
  const [committed] = await ingest(store, [final])
  t.equal(committed!.deliveries.length, 100, 'the message itself releases a few')
  const pages = await drain(store)
  const ids = [committed!, ...pages].flatMap(({ deliveries }) => deliveries.map(({ id }) => id))
  t.equal(new Set(ids).size, MANY)
  const { rows } = await database.pool.query<{ deliveries: string; waiting: string }>(
    `select (select count(distinct event_id) from deliveries) as deliveries,
            (select count(*) from waiting_messages) as waiting`,
  )
  t.same(rows, [{ deliveries: String(MANY), waiting: '0' }])
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
