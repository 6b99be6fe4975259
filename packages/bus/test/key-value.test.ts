import { createLogger } from '@payment-tracking/runtime'
import { useNats } from '@payment-tracking/testkit'
import t from 'tap'
import { openBus, RevisionConflictError } from '../src/index.js'

const log = createLogger('test', { LOG_LEVEL: 'silent', ENVIRONMENT: 'production' })

async function open(t: Parameters<typeof useNats>[0]) {
  const nats = await useNats(t)
  const bus = await openBus({ NATS_URL: nats.url }, 'test', log)
  t.teardown(() => bus.close())
  await bus.ensureStream({ streamName: nats.stream, subjectPrefix: nats.subjectPrefix })
  t.teardown(() =>
    nats.connection
      .jetstream()
      .views.kv(`KV_${nats.stream}`)
      .then(kv => kv.destroy()),
  )
  return { nats, bus, keys: await bus.openKeyValue(`KV_${nats.stream}`, nats.stream) }
}

t.test('a writer can replace a value only if it read the last version', async t => {
  const { bus, nats, keys } = await open(t)
  t.equal(await keys.get('checkpoint'), undefined)
  const first = await keys.set('checkpoint', '1', 0)
  await t.rejects(keys.set('checkpoint', '2', 0), RevisionConflictError, 'it exists')
  const second = await keys.set('checkpoint', '2', first)
  await t.rejects(keys.set('checkpoint', '3', first), RevisionConflictError, 'it was written since')
  const other = await bus.openKeyValue(`KV_${nats.stream}`, nats.stream)
  t.same(await other.get('checkpoint'), { value: '2', revision: second })
})

t.test('the stream is read from a sequence to its end, and ids are stored once', async t => {
  const { nats, bus } = await open(t)
  const subject = `${nats.subjectPrefix}.x`
  const stream = { streamName: nats.stream, subjectPrefix: nats.subjectPrefix }
  const read = async (from: number) => {
    const seen: number[] = []
    await bus.readAgain({ ...stream, from, batchSize: 3 }, async messages => {
      seen.push(...messages.map(({ bytes }) => bytes[0]!))
      return Promise.resolve(undefined)
    })
    return seen
  }
  t.same(await read(1), [], 'an empty stream')
  const sequences: number[] = []
  for (let i = 0; i < 5; i++) sequences.push(await bus.publish(subject, Buffer.from([i]), `id ${i}`))
  t.equal(await bus.publish(subject, Buffer.from([3]), 'id 3'), sequences[3], 'the first of the two')
  t.same(await read(0), [0, 1, 2, 3, 4])
  t.same(await read(sequences[3]!), [3, 4])
  t.same(await read(sequences[4]! + 1), [])
})

t.test('many messages are stored in their order, and each sequence belongs to its message', async t => {
  const { nats, bus } = await open(t)
  const subject = `${nats.subjectPrefix}.x`
  const messages = Array.from({ length: 700 }, (_, at) => ({
    subject,
    bytes: Buffer.from(String(at)),
    id: `many ${at}`,
  }))
  t.same(await bus.publishAll([]), [])
  const sequences = await bus.publishAll(messages)
  t.same(await bus.publishAll(messages.slice(100, 200)), sequences.slice(100, 200), 'stored once')
  const stored = new Map<number, string>()
  const stream = { streamName: nats.stream, subjectPrefix: nats.subjectPrefix }
  await bus.readAgain({ ...stream, from: 1, batchSize: 500 }, async messages => {
    for (const { bytes, streamSequence } of messages)
      stored.set(streamSequence, Buffer.from(bytes).toString())
    return Promise.resolve(undefined)
  })
  const wanted = sequences.map((sequence, at) => [sequence, String(at)])
  t.same([...stored], wanted)
  const foreign = { subject: 'no.stream.takes.this', bytes: Buffer.from('x') }
  await t.rejects(bus.publishAll([messages[0]!, foreign]), {
    code: 'BUS_UNAVAILABLE',
    cause: { message: 'no stream takes the subject' },
  })
  t.same(await bus.publish(subject, Buffer.from('0'), 'many 0'), sequences[0], 'a failure ends nothing')
})

t.test('an acknowledgement without a sequence is none', async t => {
  const { nats, bus } = await open(t)
  const subject = `elsewhere.${nats.stream}`
  // Some servers answer so when the message was lost with a leader.
  nats.connection.subscribe(subject, {
    callback: (_, message) => void message.respond(JSON.stringify({ stream: 'S', seq: 0, duplicate: true })),
  })
  await nats.connection.flush()
  await t.rejects(bus.publish(subject, Buffer.from('x'), 'id'), { code: 'BUS_UNAVAILABLE' })
})
