// A stream with limits discards messages that nobody has read, and ingest went on behind them without a word.
import { subjectOf } from '@payment-tracking/contracts'
import {
  buildChain,
  createDatabase,
  startService,
  useNats,
  useRedis,
  waitFor,
  type TestContext,
} from '@payment-tracking/testkit'
import { nanos, type StreamConfig } from 'nats'
import t from 'tap'

/** NATS takes no less. */
const SHORTEST_AGE_MS = 100
const LONG_AGE_MS = 3_600_000

/** A stream with one limit, a publisher of it, and what ingest tells of it. */
async function openRig(t: TestContext, limits: Partial<StreamConfig>) {
  const nats = await useNats(t)
  const database = await createDatabase(t)
  const manager = await nats.connection.jetstreamManager()
  await manager.streams.add({ name: nats.stream, subjects: [`${nats.subjectPrefix}.>`], ...limits })
  const chain = buildChain({ seed: 'gaps' })
  const env = {
    DATABASE_URL: database.url,
    REDIS_URL: (await useRedis(t)).url,
    NATS_URL: nats.url,
    STREAM_NAME: nats.stream,
    SUBJECT_PREFIX: nats.subjectPrefix,
  }
  const lines = async (managementUrl: string) =>
    (await (await fetch(`${managementUrl}/metrics`)).text()).split('\n')
  return {
    lines,
    start: () => startService(t, 'ingest', env),
    publish: async (count: number) => {
      for (let n = 0; n < count; n++) {
        const message = Buffer.from(JSON.stringify(chain.emit('SomethingElse', { n })))
        await nats.jetstream.publish(subjectOf(nats.subjectPrefix, 'SomethingElse'), message)
      }
    },
    limit: (changed: Partial<StreamConfig>) => manager.streams.update(nats.stream, changed),
    held: async () => (await manager.streams.info(nats.stream)).state.messages,
    isUpToDate: (managementUrl: string) =>
      waitFor(async () => (await lines(managementUrl)).includes('payment_tracking_ingest_lag_messages 0'), {
        what: 'everything to be read',
      }),
    gaps: async () =>
      (
        await database.pool.query<{ first: string; last: string }>(
          'select from_sequence as first, to_sequence as last from stream_gaps order by id',
        )
      ).rows,
    storedCount: async () => (await database.pool.query('select from events')).rowCount,
  }
}

t.test('messages that the stream discarded before they were read are a gap, recorded once', async t => {
  const { start, publish, isUpToDate, gaps, lines } = await openRig(t, { max_msgs: 10 })
  const first = await start()
  await publish(5)
  await isUpToDate(first.managementUrl)
  t.strictSame(await gaps(), [], 'what was read before it was discarded is no gap')
  await first.stop()
  await publish(30)

  const second = await start()
  await second.waitForLog('stream.messages-discarded')
  await isUpToDate(second.managementUrl)
  t.strictSame(await gaps(), [{ first: '6', last: '25' }])
  t.ok((await lines(second.managementUrl)).includes('payment_tracking_ingest_stream_gaps 1'))
  await publish(12)
  await isUpToDate(second.managementUrl)
  await second.stop()

  const third = await start()
  await isUpToDate(third.managementUrl)
  t.strictSame(await gaps(), [{ first: '6', last: '25' }], 'it is recorded once')
})

t.test('messages that grew too old before they were read are a gap', async t => {
  const { start, publish, limit, held, isUpToDate, gaps, lines, storedCount } = await openRig(t, {
    max_age: nanos(LONG_AGE_MS),
  })
  const publishAndExpire = async (count: number) => {
    await publish(count)
    // NATS refuses to tell copies apart for longer than it keeps them.
    await limit({ max_age: nanos(SHORTEST_AGE_MS), duplicate_window: nanos(SHORTEST_AGE_MS) })
    await waitFor(async () => (await held()) === 0, { what: 'every message to expire' })
    await limit({ max_age: nanos(LONG_AGE_MS) })
  }
  const first = await start()
  await publish(5)
  await isUpToDate(first.managementUrl)
  await first.stop()
  await publishAndExpire(30)

  const second = await start()
  await second.waitForLog('stream.messages-discarded')
  t.strictSame(await gaps(), [{ first: '6', last: '35' }], 'what was read before it expired is no gap')
  t.ok((await lines(second.managementUrl)).includes('payment_tracking_ingest_stream_gaps 1'))
  await second.stop()
  await publishAndExpire(4)
  await publish(3)

  const third = await start()
  await third.waitForLog('stream.messages-discarded')
  await isUpToDate(third.managementUrl)
  t.strictSame(await gaps(), [{ first: '6', last: '39' }], 'nothing was read in between: the gap has grown')
  t.equal(await storedCount(), 8, 'what did not expire is stored')
})
