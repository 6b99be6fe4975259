// After a loss of commits, each replica of ingest reads the missing part of the stream again.
// In one process with others: what tests load.
import { DEFAULT_SUBJECT_PREFIX, subjectOf } from '@payment-tracking/contracts'
import {
  createDatabase,
  dumpProjections,
  findArrivalProblems,
  insertWebhook,
  openTestStore,
  readFixtureMessages,
  startService,
  useNats,
  useRedis,
  waitFor,
} from '@payment-tracking/testkit'
import { AckPolicy } from 'nats'
import t from 'tap'
import { ingestMessages, nameOf } from './ingest-messages.js'

t.test(
  'replicas that read the stream again store each event once, although one of them is killed',
  async t => {
    const messages = await readFixtureMessages()
    const [database, redis, nats] = [await createDatabase(t), await useRedis(t), await useNats(t)]
    const manager = await nats.connection.jetstreamManager()
    await manager.streams.add({ name: nats.stream, subjects: [`${nats.subjectPrefix}.>`] })
    for (const bytes of messages)
      await nats.jetstream.publish(subjectOf(nats.subjectPrefix, nameOf(bytes)), bytes)
    // Everything was acknowledged before the database lost all of it: the consumer delivers nothing.
    await manager.consumers.add(nats.stream, {
      durable_name: 'ingest',
      ack_policy: AckPolicy.Explicit,
      filter_subject: `${nats.subjectPrefix}.>`,
    })
    const consumer = await nats.jetstream.consumers.get(nats.stream, 'ingest')
    for await (const message of await consumer.fetch({ max_messages: messages.length })) message.ack()
    await nats.connection.flush()
    const gateways = `select distinct gateway from events where gateway is not null`

    const { store, database: reference } = await openTestStore(t)
    await ingestMessages(store, messages)
    const webhooks = (await reference.pool.query<{ gateway: string }>(gateways)).rows
    for (const { gateway } of webhooks) await insertWebhook(database.pool, gateway)
    // The stream was made anew since: the sequence is one of another stream, beyond the end of this one.
    await database.pool.query(
      `update stream_head set reingest_from = 1000000, reingest_created_at = '2026-01-01Z'`,
    )

    const env = {
      DATABASE_URL: database.url,
      REDIS_URL: redis.url,
      NATS_URL: nats.url,
      STREAM_NAME: nats.stream,
      SUBJECT_PREFIX: nats.subjectPrefix,
      'ingest.batchSize': '20',
      'ingest.sweepEveryMs': '200',
    }
    const [first, second] = await Promise.all([
      startService(t, 'ingest', env),
      startService(t, 'ingest', env),
    ])
    const read = async (sql: string) => Number((await database.pool.query<{ n: string }>(sql)).rows[0]!.n)
    await Promise.all([first.waitForLog('reingest.begun'), second.waitForLog('reingest.begun')])
    await waitFor(async () => (await read('select count(*) as n from events')) > 100, { what: 'some events' })
    await first.stop('SIGKILL')
    await waitFor(
      async () => (await read('select count(*) as n from stream_head where reingest_from is null')) === 1,
      { what: 'the end of reading again', timeoutMs: 60_000 },
    )
    await waitFor(
      async () => (await read('select count(*) as n from ingest_batches where relayed_at is null')) === 0,
      { what: 'everything to be handed over', timeoutMs: 30_000 },
    )
    const dump = JSON.stringify(await dumpProjections(database.pool))
    t.strictSame(
      JSON.parse(dump.replaceAll(nats.subjectPrefix, DEFAULT_SUBJECT_PREFIX)),
      await dumpProjections(reference.pool),
    )
    t.strictSame(await findArrivalProblems(database.pool), [])
    const payments = `from events e join webhooks w on w.gateway = e.gateway where e.amount is not null`
    t.equal(
      await read('select count(*) as n from deliveries'),
      await read(`select count(*) as n ${payments}`),
      'each payment of a gateway has one delivery',
    )
    t.equal(await second.stop(), 0)
  },
)
