// Symptom: ingest that was stopped while NATS was away passed its stop deadline and ended with exit code 1.
import { createLogger } from '@payment-tracking/runtime'
import { endsBeforeTimer, openLink, useNats, waitFor } from '@payment-tracking/testkit'
import t from 'tap'
import { openBus } from '../src/index.js'

t.test('a consumer stops at once while it waits for NATS', async t => {
  const nats = await useNats(t)
  const link = await openLink(t, nats.url)
  const log = createLogger('test', { LOG_LEVEL: 'silent', ENVIRONMENT: 'production' })
  const bus = await openBus({ NATS_URL: link.url }, 'test', log)
  t.teardown(() => bus.close())
  const consumer = bus.consume(
    {
      streamName: nats.stream,
      subjectPrefix: nats.subjectPrefix,
      consumerName: 'ingest',
      batchSize: 10,
      ackWaitMs: 1_000,
    },
    async () => undefined,
  )
  link.silence('all')
  await consumer.start()
  await waitFor(() => consumer.checkConsuming().catch(() => true), { what: 'a consumer that is not open' })
  t.ok(await endsBeforeTimer(2_000, () => consumer.stop()), 'before any request to NATS has timed out')
})
