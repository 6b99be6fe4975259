// Symptom: after a failover, `reingest` skipped payments. Messages that were on their way when the connection to NATS broke
// were counted as delivered and not read again.
import { createLogger } from '@payment-tracking/runtime'
import { useNats } from '@payment-tracking/testkit'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import t from 'tap'
import { openBus } from '../src/index.js'

const MESSAGES = 600
const BATCH = 100
const MESSAGE_BYTES = 2_000

/** Forwards to NATS, and breaks the connection each time so many bytes have arrived from the server. */
async function openBreakingLink(t: { teardown(end: () => unknown): void }, url: string, everyBytes: number) {
  const { hostname, port } = new URL(url)
  const sockets = new Set<Socket>()
  let passed = 0
  let breaks = 0
  const server = createServer(client => {
    const upstream = connect(Number(port), hostname)
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from)
      from.on('error', () => {}).once('close', () => to.destroy())
    }
    client.pipe(upstream)
    upstream.on('data', (bytes: Buffer) => {
      passed += bytes.length
      if (passed < everyBytes) return void client.write(bytes)
      passed = 0
      breaks += 1
      client.destroy()
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    sockets.forEach(socket => socket.destroy())
    server.close()
  })
  const linked = new URL(url)
  linked.host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return { url: linked.href, breaks: () => breaks }
}

t.test('every message is read again, in order, while the connection breaks in between', async t => {
  const nats = await useNats(t)
  const link = await openBreakingLink(t, nats.url, 350_000)
  const log = createLogger('test', { LOG_LEVEL: 'silent', ENVIRONMENT: 'production' })
  const bus = await openBus({ NATS_URL: link.url }, 'test', log)
  t.teardown(() => bus.close())
  const options = { STREAM_NAME: nats.stream, SUBJECT_PREFIX: nats.subjectPrefix }
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
  t.same(
    sequences,
    Array.from({ length: MESSAGES }, (_, at) => at + 1),
  )
})
