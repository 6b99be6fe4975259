// A stream with limits discards messages that nobody has read, and ingest went on behind them without a word.
import { subjectOf } from '@payment-tracking/contracts'
import {
  buildChain,
  createDatabase,
  startService,
  useNats,
  useRedis,
  waitFor,
} from '@payment-tracking/testkit'
import t from 'tap'

t.test('messages that the stream discarded before they were read are a gap, recorded once', async t => {
  const nats = await useNats(t)
  const database = await createDatabase(t)
  const manager = await nats.connection.jetstreamManager()
  await manager.streams.add({ name: nats.stream, subjects: [`${nats.subjectPrefix}.>`], max_msgs: 10 })
  const chain = buildChain({ seed: 'gaps' })
  const publish = async (count: number) => {
    for (let n = 0; n < count; n++) {
      const message = Buffer.from(JSON.stringify(chain.emit('SomethingElse', { n })))
      await nats.jetstream.publish(subjectOf(nats.subjectPrefix, 'SomethingElse'), message)
    }
  }
  const env = {
    DATABASE_URL: database.url,
    REDIS_URL: (await useRedis(t)).url,
    NATS_URL: nats.url,
    STREAM_NAME: nats.stream,
    SUBJECT_PREFIX: nats.subjectPrefix,
  }
  const lines = async (managementUrl: string) =>
    (await (await fetch(`${managementUrl}/metrics`)).text()).split('\n')
  const isUpToDate = (managementUrl: string) =>
    waitFor(async () => (await lines(managementUrl)).includes('payment_tracking_ingest_lag_messages 0'), {
      what: 'everything to be read',
    })
  const gaps = async () =>
    (
      await database.pool.query<{ first: string; last: string }>(
        'select from_sequence as first, to_sequence as last from stream_gaps order by id',
      )
    ).rows

  const first = await startService(t, 'ingest', env)
  await publish(5)
  await isUpToDate(first.managementUrl)
  t.strictSame(await gaps(), [], 'what was read before it was discarded is no gap')
  await first.stop()
  await publish(30)

  const second = await startService(t, 'ingest', env)
  await second.waitForLog('stream.messages-discarded')
  await isUpToDate(second.managementUrl)
  t.strictSame(await gaps(), [{ first: '6', last: '25' }])
  t.ok((await lines(second.managementUrl)).includes('payment_tracking_ingest_stream_gaps 1'))
  await publish(12)
  await isUpToDate(second.managementUrl)
  await second.stop()

  const third = await startService(t, 'ingest', env)
  await isUpToDate(third.managementUrl)
  t.strictSame(await gaps(), [{ first: '6', last: '25' }], 'it is recorded once')
})
