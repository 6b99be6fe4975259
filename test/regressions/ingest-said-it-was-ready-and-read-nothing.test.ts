// With a consumer that could not be opened, ingest answered 200 on /readyz and showed a lag of 0 for ever: nobody
// could see that no payment was stored any more.
import {
  createDatabase,
  startService,
  useNats,
  useRedis,
  waitFor,
  type StartedService,
  type TestContext,
  type TestNats,
} from '@payment-tracking/testkit'
import { AckPolicy, type JetStreamManager } from 'nats'
import t, { type Test } from 'tap'

type Obstacle = (manager: JetStreamManager, nats: TestNats) => Promise<unknown>

const OBSTACLES: Record<string, Obstacle> = {
  'a push consumer has its name': async (manager, nats) => {
    await nats.addStream()
    await manager.consumers.add(nats.stream, {
      durable_name: 'ingest',
      deliver_subject: 'somewhere',
      ack_policy: AckPolicy.Explicit,
    })
  },
  'a consumer that acknowledges nothing has its name': async (manager, nats) => {
    await nats.addStream()
    await manager.consumers.add(nats.stream, { durable_name: 'ingest', ack_policy: AckPolicy.None })
  },
  'the stream of its name has other subjects': (_, { subjectPrefix, addStream }) =>
    addStream({ subjects: [`other.${subjectPrefix}.>`] }),
}

const startIngest = async (
  t: TestContext,
  { url, stream, subjectPrefix }: TestNats,
): Promise<StartedService> => {
  const env = {
    DATABASE_URL: (await createDatabase(t)).url,
    REDIS_URL: (await useRedis(t)).url,
    NATS_URL: url,
    STREAM_NAME: stream,
    SUBJECT_PREFIX: subjectPrefix,
  }
  return startService(t, 'ingest', env, { waitUntilReady: false })
}

async function showsThatItReadsNothing(t: Test, ingest: StartedService): Promise<void> {
  await ingest.waitForLog('service.ready')
  await ingest.waitForLog('bus.consume-interrupted')
  const answer = await fetch(`${ingest.managementUrl}/readyz`)
  t.equal(answer.status, 503)
  const { dependencies } = (await answer.json()) as { dependencies: Record<string, string> }
  t.match(dependencies, { nats: 'ok', stream: /^the consumer cannot be opened: ./ })
  const metrics = await ingest.metrics()
  t.match(metrics, /^payment_tracking_ingest_consuming 0$/m)
  t.match(metrics, /^payment_tracking_ingest_lag_messages nan$/im, 'an unknown lag is not 0')
  t.match(metrics, /^payment_tracking_ingest_lag_seconds nan$/im)
}

async function becomesReady(t: Test, ingest: StartedService): Promise<void> {
  await waitFor(async () => (await fetch(`${ingest.managementUrl}/readyz`)).ok, { what: 'ingest, ready' })
  const healed = await ingest.metrics()
  t.match(healed, /^payment_tracking_ingest_consuming 1$/m)
  t.match(healed, /^payment_tracking_ingest_lag_messages 0$/m)
}

for (const [title, obstruct] of Object.entries(OBSTACLES)) {
  t.test(`ingest is not ready while ${title}, and is once the cause is gone`, async t => {
    const nats = await useNats(t)
    const manager = await nats.connection.jetstreamManager()
    await obstruct(manager, nats)
    const ingest = await startIngest(t, nats)
    await showsThatItReadsNothing(t, ingest)
    await manager.streams.delete(nats.stream)
    await becomesReady(t, ingest)
  })
}
