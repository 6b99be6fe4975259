// Work in pages under faults: rows that fail are quarantined, and everything else goes on; on a server that nobody has verified
// nothing is done.
import { listQuarantined, takeBack } from '@payment-tracking/store/core'
import { readHeadNow, runTaskPage } from '@payment-tracking/store/ingest'
import { dumpProjections, insertWebhook, openTestStore, type TestContext } from '@payment-tracking/testkit'
import t from 'tap'
import { PROGRAM } from './ingest-messages.js'
import {
  created,
  drain,
  GATEWAY,
  ingest,
  MANY,
  type Message,
  pay,
  payments,
  PERIODS,
  policyOf,
  userPayment,
} from './recompute-history.js'

/** Payments that wait for finality, the `at`th of which Postgres refuses as a delivery. @returns the bad payment's event */
async function openWaiting(t: TestContext, waiting: readonly Message[], at: number) {
  const { store, pool } = await openTestStore(t)
  await insertWebhook(pool, GATEWAY, { finality: 'finalized' })
  await ingest(store, [userPayment, created(1, 2, PERIODS), ...waiting])
  const { rows } = await pool.query<{ event_id: string }>(
    'select event_id from waiting_messages order by slot offset $1 limit 1',
    [at],
  )
  const bad = rows[0]!.event_id
  await pool.query(`alter table deliveries add constraint planted check (event_id <> '${bad}')`)
  return { store, pool, bad }
}
const keysOf = (rows: readonly { task: string; key: string }[]): string[] =>
  rows.map(({ task, key }) => `${task} ${key.replace(/^\d+ /, '')}`)

t.test('a message, or an address, that makes its page fail is quarantined, and all others go on', async t => {
  const { store, pool, bad } = await openWaiting(t, payments, 700)
  await pool.query(
    `insert into work (kind, key, state) select 'policy', key, '{"since": "0"}' from unnest(array['bad', $1]) key`,
    [policyOf(1)],
  )
  await pool.query(
    `create function fail() returns trigger language plpgsql as $$ begin raise exception 'planted'; end $$;
     create trigger planted before delete on work for each row when (old.key = 'bad') execute function fail()`,
  )
  await ingest(store, [{ subject: 'chain.events.control.finalized', bytes: Buffer.from('{"slot":1000000}') }])
  await drain(store)
  const { rows: counted } = await pool.query<{ sent: string; waiting: string; work: string }>(
    `select (select count(*) from deliveries) as sent, (select string_agg(event_id::text, ' ') from waiting_messages) as waiting,
            (select string_agg(key, ' ') from work) as work`,
  )
  t.same(counted, [{ sent: String(MANY - 1), waiting: bad, work: 'bad' }])
  const quarantined = await listQuarantined(store, 9)
  t.same(keysOf(quarantined).sort(), [`release-messages ${bad}`, 'task policy bad'])
  await pool.query('alter table deliveries drop constraint planted')
  await pool.query('drop trigger planted on work')
  for (const row of quarantined) t.ok(await takeBack(store, row))
  await ingest(store, [{ subject: 'chain.events.control.finalized', bytes: Buffer.from('{"slot":1000001}') }])
  await drain(store)
  t.equal((await pool.query('select from waiting_messages union all select from work')).rowCount, 0)
  t.equal((await pool.query('select from deliveries')).rowCount, MANY)
})

const FINAL = { subject: 'chain.events.control.finalized', bytes: Buffer.from('{"slot":1000000}') }

t.test('a bad message among those that a watermark releases at once', async t => {
  const { store, pool, bad } = await openWaiting(t, payments, 30)
  const [committed] = await ingest(store, [FINAL, pay(9_000)])
  t.equal(committed!.payments.length, 1, 'the rest of the batch is stored')
  const { rows: heads } = await pool.query('select 1 from stream_head where finalized_slot = 1000000')
  t.equal(heads.length, 1, 'and the slot is final')
  await drain(store)
  t.same(keysOf(await listQuarantined(store, 9)), [`release-messages ${bad}`])
  const { rows: waiting } = await pool.query('select event_id from waiting_messages')
  t.same(waiting, [{ event_id: bad }])
  t.equal((await pool.query('select from deliveries')).rowCount, MANY)
})

t.test('a bad message that its batch finds first is quarantined in the same transaction', async t => {
  const few = payments.slice(0, 3)
  const { store, pool, bad } = await openWaiting(t, few, 0)
  const [committed] = await ingest(store, [FINAL, pay(9_000)])
  t.equal(committed!.payments.length, 1, 'the rest of the batch is stored')
  t.same(keysOf(await listQuarantined(store, 9)), [`release-messages ${bad}`], 'before any page of work')
  await drain(store)
  t.same((await pool.query('select event_id from waiting_messages')).rows, [{ event_id: bad }])
  t.equal((await pool.query('select from deliveries')).rowCount, few.length)
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
