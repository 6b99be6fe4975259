// Symptom: after a failover, `reingest` skipped payments. Messages that were on their way when the connection to NATS broke
// were counted as delivered and not read again.
import { createLogger } from '@payment-tracking/runtime'
import { openLink, useNats } from '@payment-tracking/testkit'
import t from 'tap'
import { openBus } from '../src/index.js'

const MESSAGES = 600
const BATCH = 100
const MESSAGE_BYTES = 2_000

t.test('every message is read again, in order, while the connection breaks in between', async t => {
  const nats = await useNats(t)
  const link = await openLink(t, nats.url, { breakAfterBytes: 350_000 })
  const log = createLogger('test', { LOG_LEVEL: 'silent', ENVIRONMENT: 'production' })
  const bus = await openBus({ NATS_URL: link.url }, 'test', log)
  t.teardown(() => bus.close())
  const options = { streamName: nats.stream, subjectPrefix: nats.subjectPrefix }
  await bus.ensureStream(options)
  for (let at = 1; at <= MESSAGES; at++)
    await nats.jetstream.publish(`${nats.subjectPrefix}.x`, Buffer.alloc(MESSAGE_BYTES, at % 256))
  const sequences: number[] = []
  const read = await bus.readAgain({ ...options, from: 1, batchSize: BATCH }, async messages => {
    sequences.push(...messages.map(({ streamSequence }) => streamSequence))
    return undefined
  })
  t.ok(link.breaks() >= 2, 'the connection broke')
  t.equal(read, MESSAGES)
  const wanted = Array.from({ length: MESSAGES }, (_, at) => at + 1)
  t.same(sequences, wanted)
})

t.test('a stream that is deleted meanwhile ends the reading', async t => {
  const nats = await useNats(t)
  const log = createLogger('test', { LOG_LEVEL: 'silent', ENVIRONMENT: 'production' })
  const bus = await openBus({ NATS_URL: nats.url }, 'test', log)
  t.teardown(() => bus.close())
  const options = { streamName: nats.stream, subjectPrefix: nats.subjectPrefix }
  await bus.ensureStream(options)
  for (const at of [1, 2]) await nats.jetstream.publish(`${nats.subjectPrefix}.x`, Buffer.of(at))
  const manager = await nats.connection.jetstreamManager()
  const reading = bus.readAgain({ ...options, from: 1, batchSize: 1 }, async () => {
    await manager.streams.delete(nats.stream)
    return undefined
  })
  await t.rejects(reading, { message: /stream not found/ })
})
