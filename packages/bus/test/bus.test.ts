import { createLogger } from '@payment-tracking/runtime'
import { useNats, waitFor } from '@payment-tracking/testkit'
import { headers } from 'nats'
import t from 'tap'
import { openBus, type Bus, type ReceivedBusMessage, type Redeliver } from '../src/index.js'

const log = createLogger('test', { LOG_LEVEL: 'silent', ENVIRONMENT: 'production' })

async function open(t: Parameters<typeof useNats>[0]) {
  const nats = await useNats(t)
  const bus: Bus = await openBus({ NATS_URL: nats.url }, 'test', log)
  t.teardown(() => bus.close())
  const options = {
    streamName: nats.stream,
    subjectPrefix: nats.subjectPrefix,
    consumerName: 'ingest',
    batchSize: 10,
    ackWaitMs: 1_000,
  }
  return { nats, bus, options }
}

t.test('a missing stream is created, and keeps as much and for as long as its settings say', async t => {
  const { nats, bus, options } = await open(t)
  await bus.ensureStream({ ...options, replicas: 1 })
  const { config } = await (await nats.connection.jetstreamManager()).streams.info(nats.stream)
  t.strictSame(config.subjects, [`${nats.subjectPrefix}.>`])
  t.match(config, { num_replicas: 1, max_bytes: -1, max_age: 30 * 86_400 * 1e9 })
})

t.test('copies on servers that are not there are refused, with the setting and the cure', async t => {
  const { bus, options } = await open(t)
  await t.rejects(bus.ensureStream({ ...options, replicas: 3 }), {
    code: 'STREAM_COPIES',
    message:
      /^STREAM_REPLICAS is 3 and NATS_URL leads to a single server: set STREAM_REPLICAS=1, or name a cluster/,
  })
})

t.test('a stream that exists is never altered', async t => {
  const { nats, bus, options } = await open(t)
  const manager = await nats.connection.jetstreamManager()
  await manager.streams.add({ name: nats.stream, subjects: [`${nats.subjectPrefix}.only`], max_msgs: 7 })
  const before = (await manager.streams.info(nats.stream)).config
  await bus.ensureStream(options)
  const consumer = bus.consume(options, async () => undefined)
  await consumer.start()
  await waitFor(async () => (await consumer.lag()) !== null, { what: 'the consumer to be there' })
  await consumer.stop()
  t.strictSame((await manager.streams.info(nats.stream)).config, before)
})

t.test('messages that could not be handled come again after the delay, the others do not', async t => {
  const { nats, bus, options } = await open(t)
  await bus.ensureStream(options)
  const handled: ReceivedBusMessage[] = []
  let failures = 2
  const consumer = bus.consume(options, async messages => {
    if (failures-- > 0) return { redeliverAfterMs: 50 } satisfies Redeliver
    handled.push(...messages)
    return undefined
  })
  for (let i = 0; i < 25; i++) await bus.publish(`${nats.subjectPrefix}.x`, Buffer.from([i]))
  await consumer.start()
  await waitFor(async () => handled.length >= 25 && (await consumer.lag()) === 0, {
    what: 'acknowledgements',
  })
  const found = [...new Set(handled.map(({ bytes }) => bytes[0]))].sort((a, b) => a! - b!)
  t.strictSame(found, [...Array(25).keys()])
  t.ok(handled.some(({ deliveries }) => deliveries > 1))
  await consumer.stop()
})

t.test('stopping finishes the batch in progress and leaves the rest to others', async t => {
  const { nats, bus, options } = await open(t)
  await bus.ensureStream(options)
  // A machine that stands still for a second must not look like a process that died.
  const patient = { ...options, ackWaitMs: 15_000 }
  for (let i = 0; i < 30; i++) await bus.publish(`${nats.subjectPrefix}.x`, Buffer.from([i]))
  let release!: () => void
  let begun!: () => void
  const inProgress = new Promise<void>(resolve => (begun = resolve))
  const gate = new Promise<void>(resolve => (release = resolve))
  const first: number[] = []
  const consumer = bus.consume(patient, async messages => {
    begun()
    await gate
    first.push(...messages.map(({ bytes }) => bytes[0]!))
    return undefined
  })
  await consumer.start()
  await inProgress
  const stopped = consumer.stop()
  release()
  await stopped
  const rest: number[] = []
  const other = bus.consume(patient, async messages => {
    rest.push(...messages.map(({ bytes }) => bytes[0]!))
    return undefined
  })
  await other.start()
  await waitFor(async () => first.length + rest.length >= 30 && (await other.lag()) === 0, {
    what: 'the rest',
    timeoutMs: 30_000,
  })
  await other.stop()
  t.strictSame(
    [...first, ...rest].sort((a, b) => a - b),
    [...Array(30).keys()],
    'each was handled once',
  )
})

t.test('the lag tells how many messages wait and since when; traces are read where wanted', async t => {
  const { nats, bus, options } = await open(t)
  await bus.ensureStream(options)
  const { connection, jetstream, subjectPrefix } = nats
  const traced = headers()
  traced.set('traceparent', '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01')
  for (let i = 0; i < 3; i++)
    await jetstream.publish(`${subjectPrefix}.x`, Buffer.from([i]), { headers: traced })
  const first = await (await connection.jetstreamManager()).streams.getMessage(nats.stream, { seq: 1 })
  let release!: () => void
  const held = new Promise<void>(resolve => (release = resolve))
  const handled: ReceivedBusMessage[] = []
  const consumer = bus.consume({ ...options, traced: true }, async messages => {
    await held
    handled.push(...messages)
    return undefined
  })
  t.equal(await consumer.measureLag(), null, 'nobody knows before it is opened')
  await consumer.start()
  const lag = await waitFor(() => consumer.measureLag(), { what: 'the consumer to be there' })
  t.equal(lag.messages, 3)
  const ageSeconds = (Date.now() - first.time.getTime()) / 1_000
  t.ok(lag.oldestSeconds !== null && lag.oldestSeconds > 0 && lag.oldestSeconds <= ageSeconds)
  release()
  await waitFor(async () => (await consumer.lag()) === 0, { what: 'acknowledgements' })
  t.same(await consumer.measureLag(), { messages: 0, oldestSeconds: 0 })
  t.same(new Set(handled.map(({ traceParent }) => traceParent)), new Set([traced.get('traceparent')]))
  await consumer.stop()
})

t.test('what belongs together is in one batch, and a batch waits for what follows', async t => {
  const { nats, bus, options } = await open(t)
  await bus.ensureStream(options)
  const publish = (kind: string, text: string) =>
    bus.publish(`${nats.subjectPrefix}.${kind}`, Buffer.from(text))
  // 9 messages, and a group of 3 that begins with the tenth of a batch.
  for (let at = 0; at < 9; at++) await publish('x', `${at}`)
  for (const part of ['a', 'b', 'c']) await publish(part === 'c' ? 'x' : 'Created', `group ${part}`)
  const batches: string[][] = []
  const consumer = bus.consume(
    {
      ...options,
      groupOf: bytes => /^group/.exec(Buffer.from(bytes).toString())?.[0] ?? null,
      isContinued: subject => subject.endsWith('.Created'),
    },
    async messages => {
      batches.push(messages.map(({ bytes }) => Buffer.from(bytes).toString()))
      return undefined
    },
  )
  await consumer.start()
  await waitFor(() => batches.flat().length === 12)
  const grouped = batches.filter(batch => batch.some(text => text.startsWith('group')))
  t.equal(grouped.length, 1, 'no batch ends within a group')
  await publish('Created', 'account')
  await publish('Created', 'policy')
  await publish('x', 'payment')
  await waitFor(() => batches.flat().length === 15)
  t.same(batches.at(-1), ['account', 'policy', 'payment'])
  await consumer.stop()
})
