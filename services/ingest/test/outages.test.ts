import { subjectOf } from '@payment-tracking/contracts'
import {
  createDatabase,
  findArrivalProblems,
  natsOptions,
  openPrivateServers,
  readExpectedAnswers,
  readFixtureMessages,
  startService,
  waitFor,
  queryOnce,
} from '@payment-tracking/testkit'
import { connect } from 'nats'
import t from 'tap'
import { nameOf } from './ingest-messages.js'

const STREAM = 'OUTAGES'
const PREFIX = 'outages'

t.test('ingest loses nothing while Postgres, Redis and NATS die one after the other', async t => {
  const messages = await readFixtureMessages()
  const expected = await readExpectedAnswers()
  const servers = await openPrivateServers(t)
  const database = await createDatabase(t, { serverUrl: servers.databaseUrl })
  const connection = await connect({
    ...natsOptions(servers.natsUrl),
    maxReconnectAttempts: -1,
    reconnectTimeWait: 100,
  })
  t.teardown(() => connection.close())
  const jetstream = connection.jetstream()
  const ingest = await startService(t, 'ingest', {
    DATABASE_URL: database.url,
    REDIS_URL: servers.redisUrl,
    NATS_URL: servers.natsUrl,
    STREAM_NAME: STREAM,
    SUBJECT_PREFIX: PREFIX,
    'ingest.sweepEveryMs': '200',
  })
  const quarter = Math.ceil(messages.length / 4)
  const publish = async (part: number) => {
    for (const [index, bytes] of messages.slice(part * quarter, (part + 1) * quarter).entries()) {
      // A publish to a starting server may time out although the server stored the message. The repeated publish must
      // not count twice, or the number of dead letters would be unknown.
      await waitFor(
        () =>
          jetstream.publish(subjectOf(PREFIX, nameOf(bytes)), bytes, {
            msgID: `${part}-${index}`,
            timeout: 1_000,
          }),
        { what: 'a publish to be acknowledged', timeoutMs: 30_000 },
      )
    }
  }
  // A new pool for each look: the test's pool dies with the server.
  const ask = async (sql: string): Promise<number> =>
    Number((await queryOnce<{ answer: string }>(database.url, sql))[0]!.answer)
  const stored = (count: number) =>
    waitFor(async () => (await ask('select count(*) as answer from events')) >= count, {
      what: `${count} events to be stored`,
      timeoutMs: 60_000,
    })
  const readiness = async () =>
    (await (await fetch(`${ingest.managementUrl}/readyz`)).json()) as {
      ready: boolean
      dependencies: Record<string, string>
    }

  await publish(0)
  await stored(1)

  await servers.private.postgres!.kill()
  await publish(1)
  await ingest.waitForLog('batch.failed')
  const away = await readiness()
  t.equal(away.ready, false)
  t.not(away.dependencies.postgres, 'ok', 'readiness names what is away')
  await servers.private.postgres!.restart()
  await waitFor(async () => (await readiness()).ready, {
    what: 'readiness after Postgres',
    timeoutMs: 30_000,
  })

  await servers.private.redis!.kill()
  const before = await ask('select count(*) as answer from events')
  await publish(2)
  await stored(before + 1)
  t.ok(
    (await ask('select count(*) as answer from ingest_batches where relayed_at is null')) > 0,
    'without Redis payments are stored, and not marked as told',
  )
  await servers.private.redis!.restart()

  await servers.private.nats!.kill()
  await servers.private.nats!.restart()
  await publish(3)
  await stored(expected.stored)
  await waitFor(
    async () => (await ask('select count(*) as answer from ingest_batches where relayed_at is null')) === 0,
    { what: 'everything to be handed over', timeoutMs: 60_000 },
  )
  t.equal(await ask('select count(*) as answer from events'), expected.stored)
  t.equal(await ask('select count(*) as answer from dead_letters'), expected.rejected)
  t.strictSame(await findArrivalProblems(database.pool), [])
  t.equal(await ingest.stop(), 0)
})
