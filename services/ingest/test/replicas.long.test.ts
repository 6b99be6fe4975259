// In one process with others: what tests load.
import { openStore } from '@payment-tracking/store/core'
import {
  countRows,
  createDatabase,
  dumpProjections,
  findArrivalProblems,
  openTestStore,
  readFixtureMessages,
  waitFor,
} from '@payment-tracking/testkit'
import t from 'tap'
import { ingestMessages, nameOf } from './ingest-messages.js'

const messages = await readFixtureMessages()
const bare = (bytes: Uint8Array) => String(nameOf(bytes)).replace('tributary_', '')
const named = (...names: string[]) => messages.filter(bytes => names.includes(bare(bytes)))

t.test('concurrent replicas: one stores a payment, the other its policy', async t => {
  const database = await createDatabase(t)
  const replicas = [1, 2].map(() => openStore({ DATABASE_URL: database.url }))
  for (const replica of replicas) t.teardown(() => replica.close())

  // A third session holds a row lock that the first replica needs halfway, so that the replica's transaction stays
  // open.
  const gate = await database.pool.connect()
  await gate.query('begin')
  await gate.query('lock table policies in share row exclusive mode')
  const payments = ingestMessages(replicas[0]!, named('PaymentRecord'), { batchSize: 1000 })
  const LOCKED = `pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  const waiting = (count: number) =>
    waitFor(async () => (await countRows(database.pool, LOCKED)) >= count, {
      what: `${count} transactions to wait`,
    })
  await waiting(1)
  const others = ingestMessages(
    replicas[1]!,
    messages.filter(bytes => bare(bytes) !== 'PaymentRecord'),
    {
      batchSize: 1000,
      firstSequence: 5000,
    },
  )
  await waiting(2)
  await gate.query('rollback')
  gate.release()
  await Promise.all([payments, others])

  const { store, database: reference } = await openTestStore(t)
  await ingestMessages(store, messages)
  t.strictSame(await dumpProjections(database.pool), await dumpProjections(reference.pool))
  t.strictSame(await findArrivalProblems(database.pool), [])
})

t.test('a batch that is sent in parts is one batch, whichever part Postgres refuses', async t => {
  const { store, database } = await openTestStore(t)
  const payment = JSON.parse(Buffer.from(named('PaymentRecord')[0]!).toString()) as { data: object }
  const recordIds = Array.from({ length: 700 }, (_, index) => index + 1)
  const payments = recordIds.map(record_id =>
    Buffer.from(JSON.stringify({ ...payment, data: { ...payment.data, record_id } })),
  )
  await database.pool.query('alter table events add constraint hostile check (record_id <> 650)')
  await ingestMessages(store, payments, { batchSize: 1000 })
  const { rows: stored } = await database.pool.query<{ record_id: string }>(
    'select record_id from events order by position',
  )
  const storedIds = stored.map(({ record_id }) => Number(record_id))
  t.strictSame(
    storedIds,
    recordIds.filter(recordId => recordId !== 650),
  )
  const { rows: refused } = await database.pool.query<{ code: string; stream_sequence: string }>(
    'select code, stream_sequence from dead_letters',
  )
  t.strictSame(refused, [{ code: 'STORE_REFUSED', stream_sequence: '650' }])
  t.strictSame(await findArrivalProblems(database.pool), [])
})
