// An S3 store that takes connections and answers nothing, or late: only the archive waits for it.
import { readArchiveProblem } from '@payment-tracking/store/core'
import {
  countRows,
  openLink,
  openTestStore,
  startService,
  useEnvironment,
  waitFor,
} from '@payment-tracking/testkit'
import t from 'tap'
import { openArchiveFiles } from '../../src/archive/open-archive-files.js'
import { S3Files } from '../../src/archive/s3-files.js'
import { openArchive, paidIn, pay, take } from './open-archive.js'
import { openS3 } from './open-s3.js'

t.setTimeout(120_000)
const early = paidIn(Array.from({ length: 20 }, (_, at) => 100 + at))

t.test('requests end after their time, and the archive goes on when the store answers', async t => {
  const { store, database } = await openTestStore(t)
  await take(store, database.pool, early)
  const { location, env } = await openS3(t)
  const link = await openLink(t, env.AWS_ENDPOINT_URL)
  link.silence('all')
  const hung = new S3Files(location, { ...env, AWS_ENDPOINT_URL: link.url }, { requestWithinMs: 100 })
  t.equal(await hung.check(), false, 'ingest starts without it')
  const { run } = await openArchive(t, store)
  await t.rejects(run({ months: 0, files: hung }), { code: 'ARCHIVE_UNUSABLE' })
  t.match((await readArchiveProblem(store))!.problem, /^EVENTS_ARCHIVE names s3:.*does not answer: correct/)
  await run({ months: 0, files: await openArchiveFiles(location, env) })
  t.equal(await readArchiveProblem(store), undefined)
  const { rows } = await database.pool.query('select bool_and(shrunk) as shrunk from events where amount > 0')
  t.strictSame(rows, [{ shrunk: true }])
})

t.test('payments are stored meanwhile, and a stop does not wait for the store', async t => {
  const { database, nats, settings } = await useEnvironment(t)
  await nats.addStream()
  const { location, env } = await openS3(t)
  const link = await openLink(t, env.AWS_ENDPOINT_URL)
  const service = await startService(t, 'ingest', {
    ...settings,
    ...env,
    AWS_ENDPOINT_URL: link.url,
    EVENTS_ARCHIVE: location,
    EVENTS_RETENTION_MONTHS: '1',
    STOP_DEADLINE_MS: '4000',
    'ingest.archiveEveryMs': '50',
    'ingest.archiveSettledSeconds': '0',
  })
  link.silence('all')
  const publish = async (messages: typeof early) => {
    for (const { subject, bytes } of messages)
      await nats.jetstream.publish(subject.replace('chain.events', nats.subjectPrefix), bytes)
  }
  const stored = async (count: number) =>
    waitFor(async () => (await countRows(database.pool, 'events')) === count, { what: `${count} events` })
  const { sent } = link.traffic()
  await publish(early)
  await waitFor(() => link.traffic().sent > sent, { what: 'a request to the store' })
  await publish(Array.from({ length: 20 }, (_, at) => pay(200 + at, 1)))
  await stored(early.length - 1 + 20)
  t.equal(await service.stop(), 0)
  t.notMatch(service.output, /archive\.(written|failed)/, 'the request was not answered')
})
