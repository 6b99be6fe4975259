// In one process with others: what tests load.
import { openStore } from '@payment-tracking/store/core'
import {
  createDatabase,
  dumpProjections,
  findArrivalProblems,
  openTestStore,
  readFixtureMessages,
  waitFor,
} from '@payment-tracking/testkit'
import t from 'tap'
import { ingestMessages, nameOf, shuffle } from './ingest-messages.js'

const messages = await readFixtureMessages()
const bare = (bytes: Uint8Array) => String(nameOf(bytes)).replace('tributary_', '')
const signatureOf = (bytes: Uint8Array) =>
  (JSON.parse(Buffer.from(bytes).toString()) as { signature: string }).signature
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
  const waiting = (count: number) =>
    waitFor(
      async () => {
        const { rows } = await database.pool.query<{ count: string }>(
          `select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        )
        return Number(rows[0]!.count) >= count
      },
      { what: `${count} transactions to wait` },
    )
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

t.test('two replicas that race with the same messages end in the same rows', async t => {
  const database = await createDatabase(t)
  const replicas = [1, 2].map(() => openStore({ DATABASE_URL: database.url }))
  for (const replica of replicas) t.teardown(() => replica.close())
  // Both replicas get the same stream messages, as after a missed acknowledgement, in different orders and batches.
  const good = messages.filter(bytes => bytes.length > 200)
  await Promise.all([
    ingestMessages(replicas[0]!, shuffle(good, 5), { batchSize: 13 }),
    ingestMessages(replicas[1]!, shuffle(good, 6), { batchSize: 31 }),
  ])
  const { store, database: reference } = await openTestStore(t)
  await ingestMessages(store, good)
  const [dump, wanted] = [await dumpProjections(database.pool), await dumpProjections(reference.pool)]
  t.strictSame({ ...dump, dead_letters: [] }, { ...wanted, dead_letters: [] })
  t.strictSame(await findArrivalProblems(database.pool), [])
})

t.test('a message that Postgres refuses is isolated; the rest of the batch is stored', async t => {
  const { store, database } = await openTestStore(t)
  const payments = named('PaymentRecord')
  const victims = [payments[3]!, payments[40]!].map(signatureOf)
  await database.pool.query(
    `alter table events add constraint hostile check (signature not in ('${victims.join(`','`)}'))`,
  )
  const committed = await ingestMessages(store, payments, { batchSize: 1000 })
  t.ok(committed.length > 1, 'the batch was split')
  const { rows } = await database.pool.query<{ code: string; bytes: Buffer }>(
    'select code, bytes from dead_letters',
  )
  const refused = rows.filter(({ code }) => code === 'STORE_REFUSED')
  t.ok(victims.every(victim => refused.some(({ bytes }) => bytes.includes(victim))))
  t.ok(refused.every(({ bytes }) => victims.some(victim => bytes.includes(victim))))
  const { rows: stored } = await database.pool.query<{ signature: string }>('select signature from events')
  const kept = new Set(stored.map(({ signature }) => signature))
  const others = payments.map(signatureOf).filter(signature => !victims.includes(signature))
  const { store: open, database: reference } = await openTestStore(t)
  await ingestMessages(open, payments, { batchSize: 1000 })
  const { rows: all } = await reference.pool.query<{ signature: string }>('select signature from events')
  const wanted = new Set(
    all.map(({ signature }) => signature).filter(signature => others.includes(signature)),
  )
  t.strictSame([...kept].sort(), [...wanted].sort())
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
  t.strictSame(
    stored.map(({ record_id }) => Number(record_id)),
    recordIds.filter(recordId => recordId !== 650),
  )
  const { rows: refused } = await database.pool.query<{ code: string; stream_sequence: string }>(
    'select code, stream_sequence from dead_letters',
  )
  t.strictSame(refused, [{ code: 'STORE_REFUSED', stream_sequence: '650' }])
  t.strictSame(await findArrivalProblems(database.pool), [])
})
