// Symptom: ingest that was stopped while NATS was away passed its stop deadline and ended with exit code 1.
import { createLogger } from '@payment-tracking/runtime'
import { useNats, waitFor } from '@payment-tracking/testkit'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import t from 'tap'
import { openBus } from '../src/index.js'

t.test('a consumer stops at once while it waits for NATS', async t => {
  const nats = await useNats(t)
  const { hostname, port } = new URL(nats.url)
  const sockets = new Set<Socket>()
  let isSilent = false
  // Silent: connections stay open and nothing arrives, as when a host vanishes.
  const server = createServer(client => {
    const upstream = connect(Number(port), hostname)
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from)
      from.on('error', () => {}).once('close', () => to.destroy())
      from.on('data', (bytes: Buffer) => isSilent || to.write(bytes))
    }
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    sockets.forEach(socket => socket.destroy())
    server.close()
  })
  const linked = new URL(nats.url)
  linked.host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  const log = createLogger('test', { LOG_LEVEL: 'silent', ENVIRONMENT: 'production' })
  const bus = await openBus({ NATS_URL: linked.href }, 'test', log)
  t.teardown(() => bus.close())
  const consumer = bus.consume(
    {
      STREAM_NAME: nats.stream,
      SUBJECT_PREFIX: nats.subjectPrefix,
      CONSUMER_NAME: 'ingest',
      BATCH_SIZE: 10,
      ACK_WAIT_MS: 1_000,
    },
    async () => undefined,
  )
  isSilent = true
  await consumer.start()
  await waitFor(() => consumer.checkConsuming().catch(() => true), { what: 'a consumer that is not open' })
  const startedAt = performance.now()
  await consumer.stop()
  const tookMs = performance.now() - startedAt
  t.ok(tookMs < 2_000, `it stopped after ${Math.round(tookMs)} ms`)
})
