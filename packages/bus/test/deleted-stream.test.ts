// Symptom: a stream was deleted while ingest ran, and the next message was acknowledged and never stored. nats-server 2.9
// does so alone, without this service, when a stream is made while the one of its name is being deleted.
import { createLogger } from '@payment-tracking/runtime'
import { useNats, waitFor } from '@payment-tracking/testkit'
import { AckPolicy, StorageType } from 'nats'
import t from 'tap'
import { openBus } from '../src/index.js'

const log = createLogger('test', { LOG_LEVEL: 'silent', ENVIRONMENT: 'production' })
const TRIES = 60

t.test('the next message of a stream that was deleted while it was read is read', async t => {
  const { url, stream: streamName, subjectPrefix, connection } = await useNats(t)
  const bus = await openBus({ NATS_URL: url }, 'test', log)
  t.teardown(() => bus.close())
  const handled: number[] = []
  const streams = new Set<number>()
  const consumer = bus.consume(
    { streamName, subjectPrefix, consumerName: 'ingest', batchSize: 10, ackWaitMs: 1_000 },
    async (messages, { createdAt }) => {
      handled.push(...messages.map(({ bytes }) => bytes[0]!))
      streams.add(createdAt.getTime())
      t.ok(messages.every(({ streamSequence }) => streamSequence === 1))
      return Promise.resolve(undefined)
    },
  )
  t.teardown(() => consumer.stop())
  consumer.start()
  const manager = await connection.jetstreamManager()
  for (let each = 1; each <= 6; each++) {
    await waitFor(() => bus.publish(`${subjectPrefix}.x`, Buffer.from([each])), {
      what: 'the stream',
      timeoutMs: 20_000,
    })
    await waitFor(() => handled.includes(each), { what: `message ${each}`, timeoutMs: 20_000 })
    await manager.streams.delete(streamName)
  }
  t.same(handled, [1, 2, 3, 4, 5, 6])
  t.equal(streams.size, 6, 'the streams can be told apart')
})

t.test('a message that the server acknowledged and has not is noticed, and is no lag of 0', async t => {
  const { url, stream: streamName, subjectPrefix, connection, jetstream } = await useNats(t)
  const bus = await openBus({ NATS_URL: url }, 'test', log)
  t.teardown(() => bus.close())
  const manager = await connection.jetstreamManager()
  const other = await (await useNats(t)).connection.jetstreamManager()
  const make = () =>
    other.streams.add({ name: streamName, subjects: [`${subjectPrefix}.>`], storage: StorageType.File })
  const options = { streamName, subjectPrefix, consumerName: 'ingest' }
  let lost = false
  for (let each = 0; each < TRIES && !lost; each++) {
    await manager.streams.delete(streamName).catch(() => {})
    await waitFor(() => make(), { what: 'a stream' })
    const publish = () => jetstream.publish(`${subjectPrefix}.x`, new Uint8Array(500)).catch(() => undefined)
    for (let at = 0; at < 20; at++) await publish()
    const deleted = manager.streams.delete(streamName).catch(() => {})
    await waitFor(() => make(), { what: 'a stream while the one of its name is deleted' })
    await deleted
    const ack = await publish()
    if (ack?.seq !== 1) continue
    lost = await manager.streams.getMessage(streamName, { seq: 1 }).then(
      () => false,
      () => true,
    )
    lost &&= (await manager.streams.info(streamName).catch(() => undefined))?.state.messages === 1
  }
  if (!lost) return t.pass('this server waits for the deletion')
  await manager.consumers.add(streamName, {
    durable_name: 'ingest',
    ack_policy: AckPolicy.Explicit,
    filter_subject: `${subjectPrefix}.>`,
  })
  t.match(await bus.position(options), { lastSequence: 1, deliveredSequence: 0, hasLostTail: true })
  const consumer = bus.consume({ ...options, batchSize: 10, ackWaitMs: 1_000 }, () =>
    Promise.resolve(undefined),
  )
  consumer.start()
  t.teardown(() => consumer.stop())
  await waitFor(async () => (await consumer.lag()) !== null, { what: 'the consumer' })
  t.equal(await consumer.lag(), 1)
  return undefined
})
