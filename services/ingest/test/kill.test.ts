import { subjectOf } from '@payment-tracking/contracts'
import { openStore } from '@payment-tracking/store'
import {
  createDatabase,
  dumpProjections,
  findArrivalProblems,
  readExpectedAnswers,
  readFixtureMessages,
  startService,
  useEnvironment,
  waitFor,
} from '@payment-tracking/testkit'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { ingestMessages, nameOf } from './ingest-messages.js'

const REPLICA_THAT_DIES = fileURLToPath(new URL('replica-that-dies.mjs', import.meta.url))

t.test('killed between commit and acknowledgement, ingest loses and doubles nothing', async t => {
  const messages = await readFixtureMessages()
  const expected = await readExpectedAnswers()
  const { database, nats, settings } = await useEnvironment(t)
  const env = {
    PATH: process.env.PATH,
    ...settings,
    'ingest.ackWaitMs': '1000',
    'ingest.sweepEveryMs': '200',
    'ingest.batchSize': '100',
  }
  const manager = await nats.connection.jetstreamManager()
  await manager.streams.add({ name: nats.stream, subjects: [`${nats.subjectPrefix}.>`] })
  for (const bytes of messages)
    await nats.jetstream.publish(subjectOf(nats.subjectPrefix, nameOf(bytes)), bytes)

  for (let death = 1; death <= 3; death++) {
    const replica = spawn(process.execPath, [REPLICA_THAT_DIES], { env, stdio: 'inherit' })
    t.teardown(() => replica.kill('SIGKILL'))
    const [, signal] = (await once(replica, 'exit')) as [number | null, string | null]
    t.equal(signal, 'SIGKILL', `death ${death}`)
  }
  const committed = await database.pool.query<{ left: string }>(
    'select count(*) as left from ingest_batches where relayed_at is null',
  )
  // A replica may die while it holds only messages of an earlier death, which are no batch of their own.
  t.ok(Number(committed.rows[0]!.left) >= 1, 'the deaths left committed batches that nobody was told of')

  const ingest = await startService(t, 'ingest', env)
  await waitFor(
    async () => {
      const info = await manager.consumers.info(nats.stream, 'ingest')
      return info.num_pending === 0 && info.num_ack_pending === 0
    },
    { what: 'every message to be acknowledged', timeoutMs: 30_000 },
  )
  await waitFor(
    async () =>
      (await database.pool.query('select 1 from ingest_batches where relayed_at is null')).rowCount === 0,
    { what: 'the batches of dead replicas to be handed over', timeoutMs: 30_000 },
  )
  t.strictSame(await findArrivalProblems(database.pool), [])
  const { rows } = await database.pool.query<{ count: string }>('select count(*) from events')
  t.equal(Number(rows[0]!.count), expected.stored)

  const reference = await createDatabase(t)
  const store = openStore({ DATABASE_URL: reference.url })
  t.teardown(() => store.close())
  await ingestMessages(store, messages)
  const subjects = (row: string) => row.replace(/"subject":"[^"]*"/, '')
  const dump = await dumpProjections(database.pool)
  const wanted = await dumpProjections(reference.pool)
  t.strictSame(dump.dead_letters.map(subjects), wanted.dead_letters.map(subjects))
  t.strictSame({ ...dump, dead_letters: [] }, { ...wanted, dead_letters: [] })
  t.equal(await ingest.stop(), 0)
})
