// A stream with limits discards messages that nobody has read, and ingest went on behind them without a word.
import { subjectOf } from '@payment-tracking/contracts'
import {
  buildChain,
  startService,
  useEnvironment,
  waitFor,
  type StartedService,
  type TestContext,
} from '@payment-tracking/testkit'
import { nanos, type StreamConfig } from 'nats'
import t from 'tap'

/** NATS takes no less. */
const SHORTEST_AGE_MS = 100
const LONG_AGE_MS = 3_600_000

/** A stream with one limit, a publisher of it, and what ingest tells of it. */
async function openRig(t: TestContext, limits: Partial<StreamConfig>) {
  const { database, nats, settings } = await useEnvironment(t)
  const manager = await nats.connection.jetstreamManager()
  await nats.addStream(limits)
  const chain = buildChain({ seed: 'gaps' })
  return {
    start: () => startService(t, 'ingest', settings),
    publish: async (count: number) => {
      for (let n = 0; n < count; n++) {
        const message = Buffer.from(JSON.stringify(chain.emit('SomethingElse', { n })))
        await nats.jetstream.publish(subjectOf(nats.subjectPrefix, 'SomethingElse'), message)
      }
    },
    limit: (changed: Partial<StreamConfig>) => manager.streams.update(nats.stream, changed),
    held: async () => (await manager.streams.info(nats.stream)).state.messages,
    isUpToDate: (ingest: StartedService) =>
      waitFor(async () => (await ingest.figure('payment_tracking_ingest_lag_messages')) === 0, {
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
  const { start, publish, limit, held, isUpToDate, gaps, storedCount } = await openRig(t, { max_msgs: 10 })
  const first = await start()
  await publish(5)
  await isUpToDate(first)
  t.strictSame(await gaps(), [], 'what was read before it was discarded is no gap')
  await first.stop()
  await publish(30)

  const second = await start()
  await second.waitForLog('stream.messages-discarded')
  await isUpToDate(second)
  const tooMany = { first: '6', last: '25' }
  t.strictSame(await gaps(), [tooMany])
  t.equal(await second.figure('payment_tracking_ingest_stream_gaps'), 1)
  await publish(12)
  await isUpToDate(second)
  await second.stop()

  // Now they grow too old.
  const publishAndExpire = async (count: number) => {
    await limit({ max_msgs: -1, max_age: nanos(LONG_AGE_MS) })
    await publish(count)
    // NATS refuses to tell copies apart for longer than it keeps them.
    await limit({ max_age: nanos(SHORTEST_AGE_MS), duplicate_window: nanos(SHORTEST_AGE_MS) })
    await waitFor(async () => (await held()) === 0, { what: 'every message to expire' })
    await limit({ max_age: nanos(LONG_AGE_MS) })
  }
  await publishAndExpire(30)
  const third = await start()
  await third.waitForLog('stream.messages-discarded')
  t.strictSame(await gaps(), [tooMany, { first: '48', last: '77' }], 'the first is recorded once')
  t.equal(await third.figure('payment_tracking_ingest_stream_gaps'), 2)
  await third.stop()
  await publishAndExpire(4)
  await publish(3)

  const fourth = await start()
  await fourth.waitForLog('stream.messages-discarded')
  await isUpToDate(fourth)
  t.strictSame(
    await gaps(),
    [tooMany, { first: '48', last: '81' }],
    'nothing was read in between: the gap has grown',
  )
  t.equal(await storedCount(), 5 + 10 + 12 + 3, 'what was not discarded is stored')
})
