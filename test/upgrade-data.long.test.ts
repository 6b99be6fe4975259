// What the first release stored becomes right by upgrading: messages that it read by its own rules end in the rows, and
// in the answers, of a database that only this release wrote.
import { randomUUID } from 'node:crypto'
import { controlKindOf, DEFAULT_PROGRAM_ID, DEFAULT_SUBJECT_PREFIX } from '@payment-tracking/contracts'
import { readControlMessage, readMessage } from '@payment-tracking/domain'
import { buildJwtKeys } from '@payment-tracking/stack'
import { migrate } from '@payment-tracking/store'
import {
  compareAnswers,
  createDatabase,
  describeDifferences,
  dumpProjections,
  findArrivalProblems,
  readFixtureMessages,
  readSecondAnswers,
  readSecondFixtures,
  shuffleFixtures,
  startService,
  useNats,
  useRedis,
  waitFor,
  type FixtureMessage,
  type ProjectionDump,
  type TestContext,
  type TestDatabase,
} from '@payment-tracking/testkit'
import t from 'tap'
import { buildRelease, findLastRelease } from './upgrade/build-release.js'
import { readFigure } from './upgrade/release-set.js'

/** The first migration of the release that tells every payment; before it, many kinds were unknown. */
const TRUTH = '20261122000100_truth_of_the_chain'
const found = await findLastRelease(TRUTH)
if (typeof found === 'string') console.error(`\n  THE UPGRADE OF OLD DATA IS NOT TESTED: ${found}\n`)
const options = { timeout: 220_000, ...(typeof found === 'string' && { skip: found }) }

/** What this release takes: what it refuses and the first release took stays stored as it came. */
function isTaken({ subject, bytes }: FixtureMessage): boolean {
  const kind = controlKindOf(DEFAULT_SUBJECT_PREFIX, subject)
  if (kind !== null) return readControlMessage(kind, bytes).ok
  return readMessage(bytes, { programId: DEFAULT_PROGRAM_ID, requireProgramId: false }).ok
}

const firstSet = async (): Promise<FixtureMessage[]> =>
  (await readFixtureMessages()).map(bytes => ({
    bytes,
    subject: `${DEFAULT_SUBJECT_PREFIX}.Fixture`,
    signature: '',
  }))

async function openPlace(t: TestContext, migrationsDir?: string) {
  const [database, redis, nats] = await Promise.all([
    createDatabase(t, migrationsDir === undefined ? {} : { migrationsDir }),
    useRedis(t),
    useNats(t),
  ])
  const env = {
    DATABASE_URL: database.url,
    REDIS_URL: redis.url,
    NATS_URL: nats.url,
    STREAM_NAME: nats.stream,
    SUBJECT_PREFIX: nats.subjectPrefix,
    ENVIRONMENT: `upgrade-${randomUUID().slice(0, 8)}`,
    JWT_PRIVATE_KEYS: buildJwtKeys(),
    PORT: '0',
    RATE_LIMIT_MAX: '1000000',
  }
  const publish = async (messages: readonly FixtureMessage[]) => {
    const manager = await nats.connection.jetstreamManager()
    await manager.streams.add({ name: nats.stream, subjects: [`${nats.subjectPrefix}.>`] }).catch(() => {})
    for (const { subject, bytes } of messages)
      await nats.jetstream.publish(subject.replace(DEFAULT_SUBJECT_PREFIX, nats.subjectPrefix), bytes)
  }
  const isRead = async () => {
    const manager = await nats.connection.jetstreamManager()
    const info = await manager.consumers.info(nats.stream, 'ingest').catch(() => undefined)
    return info?.num_pending === 0 && info.num_ack_pending === 0
  }
  const read = (what: string) => waitFor(isRead, { what, timeoutMs: 60_000 })
  return { database, env, publish, read }
}

/** The end of an order is the id of its event. */
const withoutIds = (row: string): string => row.replaceAll(/("[0-9a-f]{32})[0-9a-f]{32}"/g, '$1"')

/**
 * Rows without what tells which release wrote them. The first release identified composable events of publishers that
 * send no `index` by their data as it came, so their ids differ.
 */
function rowsOf(dump: ProjectionDump): ProjectionDump {
  const events = dump.events.map(row => {
    const {
      id: _id,
      fingerprint: _fingerprint,
      commitment,
      ...rest
    } = JSON.parse(row) as Record<string, unknown>
    return JSON.stringify({ ...rest, final: commitment === 'finalized' })
  })
  return { ...dump, events: events.sort(), policies: dump.policies.map(withoutIds), dead_letters: [] }
}

const one = async <T>({ pool }: TestDatabase, sql: string): Promise<T> =>
  (await pool.query<{ value: T }>(sql)).rows[0]!.value

for (const [set, read] of [
  ['first', firstSet],
  ['second', readSecondFixtures],
] as const) {
  t.test(`the ${set} set of fixtures, stored by the first release`, options, async t => {
    if (typeof found === 'string') return
    const messages = shuffleFixtures((await read()).filter(isTaken), 11)
    const last = await buildRelease(found.commit)
    const old = await openPlace(t, last.migrationsDir)
    const before = await startService(t, 'ingest', old.env, { root: last.root })
    await old.publish(messages)
    await old.read('the first release to read everything')
    await before.stop()
    await migrate(old.database.url)
    const gateway = await one<string>(
      old.database,
      `select data->>'gateway' as value from events where name = 'ComposableExecuted'
        union all select gateway from events where name = 'PaymentRecord' limit 1`,
    )
    await old.database.pool.query(
      `insert into webhooks (gateway, endpoint_url, secret) values ($1, 'http://127.0.0.1:9/', 'whsec_')`,
      [gateway],
    )

    const fresh = await openPlace(t)
    const [after, reference] = await Promise.all([
      startService(t, 'ingest', old.env),
      startService(t, 'ingest', fresh.env),
    ])
    await fresh.publish(messages)
    await fresh.read('this release to read everything')
    const isDone = async () =>
      (await readFigure(after, /^payment_tracking_ingest_projections_outdated/)) === 0 &&
      (await one<boolean>(
        old.database,
        'select projection_version = 2 and reingest_from is null as value from stream_head',
      ))
    await waitFor(isDone, { what: 'the upgrade to end', timeoutMs: 180_000 }).catch((error: unknown) => {
      console.error(after.output)
      throw error
    })
    await reference.stop()

    const wanted = rowsOf(await dumpProjections(fresh.database.pool))
    const upgraded = rowsOf(await dumpProjections(old.database.pool))
    for (const table of Object.keys(wanted) as (keyof ProjectionDump)[])
      t.strictSame(upgraded[table], wanted[table], table)
    t.strictSame(await findArrivalProblems(old.database.pool), [])
    t.equal(
      await one(old.database, `select count(*) as value from dead_letters where replayed_at is null`),
      await one(fresh.database, `select count(*) as value from dead_letters where replayed_at is null`),
      'dead letters of the first release that are taken now are closed',
    )
    const toldTwice = await one(
      old.database,
      `select count(*) as value from (select event_id from deliveries group by 1 having count(*) > 1) doubles`,
    )
    t.equal(toldTwice, '0', 'no payment is told twice')
    if (set === 'second') {
      t.not(await one(old.database, 'select count(*) as value from deliveries'), '0', 'new payments are told')
      const api = await startService(t, 'api', old.env)
      const { address } = await api.waitForLog('http.listening')
      const comparison = await compareAnswers(await readSecondAnswers(), async path => {
        const answer = await fetch(String(address) + path)
        return { status: answer.status, text: await answer.text() }
      })
      t.strictSame(describeDifferences(comparison), [], `all of ${comparison.compared} answers`)
    }
    t.strictSame(
      after.logs.filter(({ level }) => level === 'error' || level === 'fatal'),
      [],
    )
  })
}
