// Symptom: after a cut between three servers of NATS, payments stood still for up to 48 s. The client asks a server once
// whether the consumer is there, and waits 15 to 45 s when no answer comes, also when it connects again meanwhile.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLogger } from '@payment-tracking/runtime'
import { findFreePort, findServerProgram } from '@payment-tracking/stack'
import { isQuick, startProgram, useNats, waitFor, type TestContext } from '@payment-tracking/testkit'
import { headers } from 'nats'
import t from 'tap'
import { openBus } from '../src/index.js'

const log = createLogger('test', { LOG_LEVEL: 'silent', ENVIRONMENT: 'production' })
/** The client alone waits at least 15 s. */
const MOST_MS = 10_000

async function openReader(t: TestContext, url: string, stream: string, subjectPrefix: string) {
  const bus = await openBus({ NATS_URL: url }, 'test', log)
  t.teardown(() => bus.close())
  const handled: number[] = []
  const options = { streamName: stream, subjectPrefix, consumerName: 'ingest' }
  const consumer = bus.consume({ ...options, batchSize: 10, ackWaitMs: 1_000 }, async messages => {
    handled.push(...messages.map(({ bytes }) => bytes[0]!))
    return Promise.resolve(undefined)
  })
  t.teardown(() => consumer.stop())
  const publish = (byte: number) =>
    waitFor(() => bus.publish(`${subjectPrefix}.x`, Buffer.from([byte])), { what: 'the stream' })
  const isRead = (byte: number) =>
    waitFor(() => handled.includes(byte), { what: `message ${byte}`, timeoutMs: 60_000 })
  await consumer.start()
  await waitFor(() => consumer.checkConsuming().then(() => true), { what: 'the consumer' })
  return { bus, consumer, publish, isRead }
}

t.test('reading goes on soon after a server that could not be asked', async t => {
  const program = await findServerProgram('nats')
  const [port, dir] = [await findFreePort(), await mkdtemp(join(tmpdir(), 'payment-tracking-nats-'))]
  t.teardown(() => rm(dir, { recursive: true, force: true }))
  const startNats = (...args: string[]) =>
    startProgram(t, program.file, ['-a', '127.0.0.1', '-p', `${port}`, ...args], { env: program.env })
  const withStream = ['-js', '-sd', dir]
  let server = startNats(...withStream)
  const { bus, consumer, publish, isRead } = await openReader(t, `nats://127.0.0.1:${port}`, 'AGAIN', 'again')
  await publish(1)
  await isRead(1)
  await server.kill()
  server = startNats()
  await waitFor(() => bus.ping().then(() => true), { what: 'the server without streams' })
  await t.rejects(consumer.checkConsuming(), { code: 'BUS_UNAVAILABLE' })
  await server.kill()
  startNats(...withStream)
  await publish(2)
  const publishedAt = performance.now()
  await isRead(2)
  isQuick(t, performance.now() - publishedAt, MOST_MS, 'read')
})

t.test('the next leader of the consumer is asked for messages at once', async t => {
  const nats = await useNats(t)
  const requests: string[] = []
  nats.connection.subscribe(`$JS.API.CONSUMER.MSG.NEXT.${nats.stream}.ingest`, {
    callback: (_, { reply }) => requests.push(reply!),
  })
  await nats.connection.flush()
  const { publish, isRead } = await openReader(t, nats.url, nats.stream, nats.subjectPrefix)
  await waitFor(() => requests.length > 0, { what: 'the first request' })
  // Each new leader sends this to the readers that its predecessor knew.
  nats.connection.publish(requests[0]!, '', { headers: headers(409, 'Leadership Change') })
  await waitFor(() => new Set(requests).size > 1, { what: 'another request', timeoutMs: 3_000 })
  await publish(1)
  await isRead(1)
})
