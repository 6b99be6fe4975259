// The services that take the fixtures, each as a process that can be killed.
import { DEFAULT_SUBJECT_PREFIX } from '@payment-tracking/contracts'
import { buildJwtKeys, findFreePort } from '@payment-tracking/stack'
import {
  startService,
  useEnvironment,
  waitFor,
  type FixtureMessage,
  type StartedService,
  type TestContext,
} from '@payment-tracking/testkit'

export const SERVICES = ['ingest', 'api', 'webhook-worker', 'realtime'] as const
type Service = (typeof SERVICES)[number]

export async function openSystem(t: TestContext) {
  const { database, nats, settings } = await useEnvironment(t)
  const [apiPort, realtimePort] = [await findFreePort(), await findFreePort()]
  const env = {
    ...settings,
    JWT_PRIVATE_KEYS: buildJwtKeys(),
    WEBHOOK_ALLOW_PRIVATE_TARGETS: 'on',
    WEBHOOK_BACKOFF_MS: '200',
    'webhook-worker.overdueMs': '1000',
    'ingest.sweepEveryMs': '500',
    'realtime.healEveryMs': '1000',
    'realtime.leaseMs': '3000',
    'ingest.ackWaitMs': '3000',
    'ingest.batchSize': '100',
    RATE_LIMIT_MAX: '1000000',
    MAX_CONNECTIONS_PER_ADDRESS: '100000',
  }
  const portOf = { ingest: 0, api: apiPort, 'webhook-worker': 0, realtime: realtimePort }
  const started: StartedService[] = []
  const running = {} as Record<Service, StartedService>
  const start = async (name: Service, waitUntilReady: boolean) => {
    running[name] = await startService(t, name, { ...env, PORT: String(portOf[name]) }, { waitUntilReady })
    started.push(running[name])
  }
  await Promise.all(SERVICES.map(name => start(name, true)))
  const manager = await nats.connection.jetstreamManager()
  const countOf = async (sql: string) =>
    Number((await database.pool.query<{ count: string }>(sql)).rows[0]!.count)
  const isRead = async () => {
    const { num_pending, num_ack_pending } = await manager.consumers.info(nats.stream, 'ingest')
    return num_pending + num_ack_pending === 0
  }
  const isSettled = async () => {
    if (!(await isRead())) return false
    const open = await countOf(`select (select count(*) from ingest_batches where relayed_at is null)
      + (select count(*) from announcements)
      + (select count(*) from deliveries where state in ('pending', 'waiting')) as count`)
    return open === 0
  }
  return {
    apiUrl: `http://127.0.0.1:${apiPort}`,
    realtimeUrl: `http://127.0.0.1:${realtimePort}`,
    async publish(messages: readonly FixtureMessage[]) {
      for (const { subject, bytes } of messages)
        await nats.jetstream.publish(subject.replace(DEFAULT_SUBJECT_PREFIX, nats.subjectPrefix), bytes)
    },
    async kill(name: Service) {
      await running[name].stop('SIGKILL')
      await start(name, false)
    },
    waitUntilRead: () =>
      waitFor(isRead, { what: 'everything to be read', timeoutMs: 90_000, intervalMs: 200 }),
    async settle() {
      await waitFor(isSettled, {
        what: 'everything to be read, announced and delivered',
        timeoutMs: 90_000,
        intervalMs: 200,
      })
      await waitFor(async () => (await fetch(`http://127.0.0.1:${apiPort}/v1/health`)).ok, {
        what: 'the api',
      })
    },
    faults: () =>
      started.flatMap(({ logs }) =>
        logs.filter(({ level }) => level === 'error' || level === 'fatal').map(line => JSON.stringify(line)),
      ),
  }
}
