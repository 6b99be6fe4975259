// Symptoms: after a failover in which the host of Postgres vanished, ingest waited for ever on its old connection; and
// an ingest that was stopped meanwhile passed its stop deadline and ended with exit code 1.
import { subjectOf } from '@payment-tracking/contracts'
import {
  countRows,
  buildChain,
  openLink,
  startService,
  useEnvironment,
  waitFor,
  type TestContext,
} from '@payment-tracking/testkit'
import { readFileSync } from 'node:fs'
import t from 'tap'

async function open(t: TestContext, settings: Record<string, string> = {}) {
  const { database, nats, settings: shared } = await useEnvironment(t)
  const link = await openLink(t, database.url)
  const ingest = await startService(t, 'ingest', {
    ...shared,
    DATABASE_URL: link.url,
    ...settings,
  })
  const chain = buildChain({ seed: 'vanished' })
  const publish = async () => {
    const { created } = await chain.openGateway()
    await nats.jetstream.publish(subjectOf(nats.subjectPrefix, created.event_name), JSON.stringify(created))
  }
  const count = () => countRows(database.pool, 'events')
  const stored = (events: number) =>
    waitFor(async () => (await count()) === events, { what: `${events} stored events`, timeoutMs: 60_000 })
  const inFlight = async () => {
    const manager = await nats.connection.jetstreamManager()
    return (await manager.consumers.info(nats.stream, 'ingest')).num_ack_pending
  }
  await publish()
  await stored(1)
  return { link, ingest, publish, stored, inFlight, port: new URL(link.url).port }
}

t.test('ingest gives up a connection that is silent, and goes on with a new connection', async t => {
  const { link, ingest, publish, stored } = await open(t, { 'ingest.statementTimeoutMs': '1000' })
  link.silence('present')
  await publish()
  await stored(2)
  t.equal(await ingest.stop(), 0)
})

t.test('ingest stops in time although Postgres does not answer for its batch', async t => {
  const { link, ingest, publish, inFlight } = await open(t, { STOP_DEADLINE_MS: '10000' })
  link.silence('all')
  await publish()
  await waitFor(async () => (await inFlight()) === 1, { what: 'a batch in work' })
  t.equal(await ingest.stop(), 0)
  t.equal(await inFlight(), 1, 'the message was not acknowledged')
})

t.test(
  'the kernel probes idle connections to Postgres',
  { skip: process.platform !== 'linux' && 'reads /proc' },
  async t => {
    const { port } = await open(t)
    const toLink = `0100007F:${Number(port).toString(16).toUpperCase().padStart(4, '0')}`
    const readTimers = () =>
      readFileSync('/proc/net/tcp', 'utf8')
        .split('\n')
        .map(line => line.trim().split(/\s+/))
        .filter(([, , remote, state]) => remote === toLink && state === '01')
        .map(([, , , , , timer]) => timer!)
    // 02 is the timer of keepalive probes. While data is on its way, a connection has another timer.
    const timers = await waitFor(
      () => {
        const all = readTimers()
        return all.length > 0 && all.every(timer => timer.startsWith('02:')) && all
      },
      { what: 'keepalive probes of every connection' },
    )
    for (const timer of timers) t.ok(parseInt(timer.slice(3), 16) <= 1_000, 'which come within 10 s')
  },
)
