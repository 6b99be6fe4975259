// The archive as operators and clients meet it: what is asked before and after, what answers 410, the command, and settings
// that cannot work.
import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { controlSubjectOf, subjectOf } from '@payment-tracking/contracts'
import { buildJwtKeys, SHORT_LIVED_OPTIONS } from '@payment-tracking/stack'
import { POSITION_CURSOR } from '@payment-tracking/store/reads'
import {
  countRows,
  readExpectedAnswers,
  readFixtureMessages,
  startService,
  useEnvironment,
  waitFor,
} from '@payment-tracking/testkit'
import t, { type Test } from 'tap'
import { WebSocket } from 'ws'
import { ROOT } from '../repository.js'

t.setTimeout(600_000)
/** Lists begin here. */
const KEPT_SINCE = '2026-04-01T00:00:00.000Z'
/** Whatever was paid to somebody else is told as mismatches. */
const ANY_KEY = '1'.repeat(32)
const monthsKept = (now = new Date()): number => (now.getUTCFullYear() - 2026) * 12 + now.getUTCMonth() - 3

interface EventRecord {
  id: string
  signature: string
  eventName: string
  timestamp: string
  finality: string
}

const directory = await mkdtemp(join(tmpdir(), `archive-${randomUUID().slice(0, 8)}-`))
t.teardown(() => rm(directory, { recursive: true, force: true }))
const { database, nats, settings } = await useEnvironment(t)
const manager = await nats.connection.jetstreamManager()
await nats.addStream()
const expected = await readExpectedAnswers()
for (const bytes of await readFixtureMessages())
  await nats.jetstream.publish(subjectOf(nats.subjectPrefix, 'x'), bytes)
const archiving = {
  ...settings,
  EVENTS_ARCHIVE: directory,
  EVENTS_RETENTION_MONTHS: String(monthsKept()),
  'ingest.archiveEveryMs': '100',
  'ingest.archiveSettledSeconds': '0',
  'ingest.archiveEventsAPart': '60',
}
const startArchiving = () => startService(t, 'ingest', archiving)
const [firstArchiver, api] = await Promise.all([
  startArchiving(),
  startService(t, 'api', {
    ...settings,
    PORT: '0',
    JWT_PRIVATE_KEYS: buildJwtKeys(),
    RATE_LIMIT_MAX: '1000000',
  }),
])
let archiver = firstArchiver
const { address } = (await api.waitForLog('http.listening')) as unknown as { address: string }
const get = async (path: string) => {
  const response = await fetch(address + path)
  const text = await response.text()
  return { status: response.status, text, body: JSON.parse(text), headers: response.headers }
}
const command = (...args: string[]) =>
  promisify(execFile)(
    process.execPath,
    [...SHORT_LIVED_OPTIONS, 'scripts/run.mjs', 'services/ingest/dist/archive.js', ...args],
    {
      cwd: ROOT,
      env: {
        PATH: process.env.PATH,
        DATA_DIR: '/nonexistent',
        LOG_LEVEL: 'silent',
        ...settings,
        EVENTS_ARCHIVE: directory,
        EVENTS_RETENTION_MONTHS: archiving.EVENTS_RETENTION_MONTHS,
      },
    },
  ).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    (error: { code: number; stdout: string; stderr: string }) => error,
  )
const count = (condition: string) => countRows(database.pool, `events where ${condition}`)

const ARCHIVED_ROWS = 'occurred_at < (select lists_begin from stream_head)'
const countArchived = () => count(ARCHIVED_ROWS)

/** What archiving does not change. */
const SAME = [
  '/v1/events/count',
  '/v1/events/names',
  '/v1/events/payments/stats',
  '/v1/events/payments/stats?startTime=2026-02-03T04:05:06Z&endTime=2026-03-10T11:12:13Z',
  '/v1/events/count?startTime=2026-02-03T04:05:06Z&endTime=2026-03-10T11:12:13Z',
  ...expected.stats.map(({ gateway }) => `/v1/events/payments/stats?gateway=${gateway}`),
  ...expected.subscriptions.map(({ query }) => `/v1/subscriptions?trackingId=${query.trackingId}`),
  ...expected.oneTime.flatMap(({ trackingId }) => [
    `/v1/onetime/${encodeURIComponent(trackingId)}`,
    `/v1/payments/check?trackingId=${encodeURIComponent(trackingId)}&amount=500&recipient=${ANY_KEY}&tokenMint=${ANY_KEY}`,
  ]),
]
/** But for the time of the answer. */
const readSame = () =>
  Promise.all(SAME.map(async path => `${path} ${(await get(path)).text.replaceAll(/"timestamp":\d+/g, '')}`))

await waitFor(async () => (await count('true')) === expected.stored, {
  what: 'all events',
  timeoutMs: 30_000,
})
const waits = await archiver.waitForLog('archive.waits', ({ obstacle }) => obstacle === 'not-final')
const waiting = await command('list')
const readDueSeconds = () => archiver.figure('payment_tracking_ingest_archive_due_seconds')
const dueBefore = await readDueSeconds()
await archiver.stop()
// Answers tell finality, and lists leave out what is archived: both are read when all is final and nothing is archived.
const settling = await startService(t, 'ingest', settings)
await nats.jetstream.publish(
  controlSubjectOf(nats.subjectPrefix, 'finalized'),
  Buffer.from('{"slot":9000000000000000}'),
)
const all = await waitFor(
  async () => {
    const events: EventRecord[] = (await get('/v1/events?limit=1000')).body
    return events.every(({ finality }) => finality === 'finalized') && events
  },
  { what: 'all events to be final' },
)
const before = await readSame()
/** The name of the assertion says what differs: the record of a run may keep no more. */
async function stayTheSame(t: Test): Promise<void> {
  const now = await readSame()
  const other = now.findIndex((text, at) => text !== before[at])
  const said = (answers: readonly string[]) => answers[other]?.slice(0, 300)
  t.equal(other, -1, other === -1 ? 'all answers are as before' : `${said(now)} instead of ${said(before)}`)
}
await settling.stop()
const old = all.filter(({ timestamp }) => timestamp < KEPT_SINCE)

t.test('months that are not final stay; then old months leave lists, and nothing else changes', async t => {
  archiver = await startArchiving()
  // The same while rows shrink, too.
  await waitFor(
    async () => {
      const isArchived =
        (await countArchived()) === old.length &&
        (await count(
          `${ARCHIVED_ROWS} and amount is not null and not shrunk and json_typeof(data) = 'object'`,
        )) === 0
      if (!isArchived) await stayTheSame(t)
      return isArchived
    },
    { what: 'old events', timeoutMs: 60_000 },
  )
  await stayTheSame(t)
  const kept = all.filter(({ timestamp }) => timestamp >= KEPT_SINCE)
  const now: EventRecord[] = (await get('/v1/events?limit=1000')).body
  const idsNow = now.map(({ id }) => id)
  t.strictSame(
    idsNow,
    kept.map(({ id }) => id),
  )
  const { data } = (await get('/v1/health')).body
  t.equal(data.firstTimestamp, kept.at(-1)!.timestamp)
  const first = await database.pool.query(
    `select min(position) as first from events where not (${ARCHIVED_ROWS})`,
  )
  t.equal(data.firstPosition, Number(first.rows[0].first))
})

t.test('what holds the archive is named: the event, and for how long', async t => {
  const held = all.filter(({ timestamp }) => timestamp.startsWith('2026-01')).at(-1)!
  t.match(waits, { month: '2026-01', signature: held.signature })
  const line = `2026-01  waits: the event of transaction ${held.signature} in slot \\d+ is not final`
  t.match(waiting, { code: 0, stdout: new RegExp(`^${line}$`, 'm') })
  // Of January to March, which are due now, March is due since this month began, and January two months longer.
  const now = new Date()
  const due = (now.getTime() - Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 2)) / 1000
  t.ok(Math.abs(dueBefore - due) < 600, `${dueBefore} s where it is due for ${due}`)
  t.equal(await readDueSeconds(), 0, 'nothing is due')
})

t.test('an archived event that is asked for by signature or cursor is said to be archived', async t => {
  const march = old.find(
    ({ timestamp, eventName }) => timestamp.startsWith('2026-03') && eventName === 'PaymentRecord',
  )!
  const ARCHIVED = { status: 410, body: { success: false, code: 'ARCHIVED', archivedMonth: '2026-03' } }
  for (const path of [
    `/v1/events?signature=${march.signature}`,
    `/v1/events?signature=${march.signature}&eventName=PaymentRecord`,
    `/v1/payments/${march.signature}/trace`,
  ])
    t.match(await get(path), ARCHIVED, path)
  t.match(await get(`/v1/events?signature=${march.signature}&eventName=Else`), { status: 200, body: [] })
  const unknown = [...march.signature].reverse().join('')
  t.equal((await get(`/v1/payments/${unknown}/trace`)).status, 404)
  t.equal((await get(`/v1/events?signature=${all[0]!.signature}`)).body.length > 0, true)

  const { rows } = await database.pool.query<{ cursor: string }>(
    `select encode(convert_to(concat_ws(' ', 't', (extract(epoch from occurred_at) * 1000)::bigint, slot, event_index, id), 'UTF8'),
                   'base64') as cursor from events where id = $1`,
    [march.id],
  )
  const cursor = Buffer.from(rows[0]!.cursor, 'base64').toString('base64url')
  t.match(await get(`/v1/events?cursor=${cursor}`), ARCHIVED)
  let page = await get('/v1/events?limit=9')
  for (let next; (next = page.headers.get('x-next-cursor')) !== null;)
    page = await get(`/v1/events?limit=9&cursor=${next}`)
  t.equal(page.status, 200, 'a list ends where lists begin')
})

t.test('the stream begins where lists begin, and skips nothing in silence', async t => {
  const head = await database.pool.query('select epoch from stream_head')
  const cursorAt = (position: bigint) => POSITION_CURSOR.write({ epoch: head.rows[0].epoch, position })
  const last = await database.pool.query(`select max(position) as last from events where ${ARCHIVED_ROWS}`)
  const fromArchived = await get(`/v1/events/stream?since=${cursorAt(0n)}`)
  t.match(fromArchived, { status: 410, body: { code: 'ARCHIVED', archivedMonth: /^2026-0/ } })
  t.match(await get(`/v1/events/stream?since=${cursorAt(BigInt(last.rows[0].last))}`), { status: 426 })
  const socket = new WebSocket(`${address.replace('http', 'ws')}/v1/events/stream?since=0`)
  t.teardown(() => socket.terminate())
  const records: { type?: string }[] = []
  socket.on('message', (text: Buffer) => records.push(JSON.parse(text.toString()) as { type?: string }))
  const kept = all.length - old.length
  await waitFor(() => records.length === kept + 1, { what: 'all that is kept' })
})

t.test('a repetition is known, and the command lists, verifies and restores', async t => {
  for (const bytes of (await readFixtureMessages()).slice(0, 50))
    await nats.jetstream.publish(subjectOf(nats.subjectPrefix, 'x'), bytes)
  await waitFor(
    async () => {
      const { num_pending: pending, num_ack_pending: open } = await manager.consumers.info(
        nats.stream,
        'ingest',
      )
      return pending + open === 0
    },
    { what: 'the repetitions' },
  )
  t.equal(await count('true'), expected.stored)
  // Ingest would go on archiving what the next lines restore: not within 30 days.
  const listing = await command('list')
  t.match(listing, { code: 0, stdout: /^2026-01 {2}\d+ events {2}1 file {2}\d.* MB {2}archived$/m })
  t.match(await command('verify'), { code: 0, stdout: /^\d+ files, 0 of them wrong$/m })

  const { rows } = await database.pool.query<{ file: string }>(
    `select file from archive_parts where month = '2026-02' and part = 1`,
  )
  const file = join(directory, rows[0]!.file)
  const bytes = await readFile(file)
  const broken = Buffer.from(bytes)
  broken[100]! ^= 1
  await writeFile(file, broken)
  const archived = await countArchived()
  const verified = await command('verify')
  t.match(verified, { code: 1, stdout: /2026-02\/1-.*SHA-256 differs.*bring it back[^]*1 of them wrong/ })
  t.match(await command('restore', '2026-02'), { code: 1, stderr: /SHA-256 differs/ })
  t.equal(await countArchived(), archived, 'nothing was restored')
  await writeFile(file, bytes)

  const restored = await command('restore', '2026-02')
  t.match(restored, { code: 0, stdout: /^lists begin with 2026-02 again: \d+ events$/m })
  const february = all.filter(({ timestamp }) => timestamp.startsWith('2026-02'))
  const query = 'startTime=2026-02-01&endTime=2026-02-28&limit=1000'
  const restoredEvents = (await get(`/v1/events?${query}`)).body
  t.strictSame(
    restoredEvents,
    february.map(event => ({ ...event, finality: 'finalized' })),
  )
  t.equal((await get(`/v1/events?signature=${february[0]!.signature}`)).status, 200)
  const restoredNone = await command('restore', '2019-01')
  t.match(restoredNone, { code: 1, stderr: /^nothing of 2019-01 is archived; archived are: 2026-01$/m })
  for (const wrong of [[], ['restore'], ['restore', '2026-13'], ['list', 'x'], ['drop']])
    t.match(await command(...wrong), {
      code: 2,
      stderr: /^usage: npm run operate -- archive list \| restore MONTH \| verify/m,
    })
  t.match(await command('--help'), { code: 0, stdout: /^usage: npm run operate -- archive/ })
  const lines = (await command('--help')).stdout.split('\n')
  t.ok(Math.max(...lines.map(line => line.length)) <= 100, 'fits a terminal of 100 columns')
})

t.test('what cannot work is said in a line before anything starts', async t => {
  const refused = async (env: Record<string, string>) => {
    const service = await startService(t, 'ingest', { ...settings, ...env }, { waitUntilReady: false })
    t.equal(await service.exited, 1)
    return service.output
  }
  const months = { EVENTS_RETENTION_MONTHS: '3' }
  const noDirectory = await refused(months)
  t.match(noDirectory, /EVENTS_RETENTION_MONTHS is set and EVENTS_ARCHIVE is not: name the directory/)
  const atNowhere = await refused({ ...months, EVENTS_ARCHIVE: '/nowhere/at/all' })
  t.match(atNowhere, /EVENTS_ARCHIVE names \/nowhere\/at\/all, which is no directory: make it, or mount it/)
  const atProc = await refused({ ...months, EVENTS_ARCHIVE: '/proc' })
  t.match(atProc, /EVENTS_ARCHIVE names \/proc, where nothing can be written .* give this user the right/)
  t.match(await refused({ ...months, EVENTS_ARCHIVE: 'ftp://host' }), /EVENTS_ARCHIVE has a wrong form/)
  t.match(await refused({ EVENTS_RETENTION_MONTHS: '-1' }), /EVENTS_RETENTION_MONTHS must be from 0 to 1200/)
})
