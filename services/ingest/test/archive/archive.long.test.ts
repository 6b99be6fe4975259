// Archiving changes nothing but where lists begin: what is asked before and after, and what comes late, is compared with a
// database that archives nothing.
import { isDeepStrictEqual } from 'node:util'
import { DEFAULT_PROGRAM_ID } from '@payment-tracking/contracts'
import {
  checkPayments,
  countEvents,
  listClaimablePayments,
  listEventNames,
  listOneTimePayments,
  findSubscribers,
  listSubscriptions,
  readLifeStart,
  readPaymentsBySeq,
  readPaymentStats,
  readRetractionsOf,
  readSubscriptions,
  type GatewaySubscriptions,
  readVolume,
  replaySubscriptions,
} from '@payment-tracking/store/reads'
import { rebuildProjections, listArchiveParts, type ArchivePart } from '@payment-tracking/store/ingest'
import { type Store } from '@payment-tracking/store/core'
import {
  countRows,
  dumpProjections,
  findArrivalProblems,
  openTestStore,
  readSecondFixtures,
  shuffleFixtures,
  type Pool,
  type TestContext,
  type TestDatabase,
} from '@payment-tracking/testkit'
import t from 'tap'
import { ingestSubjects, PROGRAM } from '../ingest-messages.js'
import { created, drain, PERIODS, say, userPayment, type Message } from '../recompute-history.js'
import { countShort, FINAL, openArchive, operate, pay, relayAll, take } from './open-archive.js'

t.setTimeout(600_000)
const messages = shuffleFixtures(await readSecondFixtures(), 7)
const early = messages.slice(0, 700)
/** The rest, and everything again in another order. */
const late = [...messages.slice(700), ...shuffleFixtures(messages, 11)]

let sequence = 0
async function store(t: TestContext, sets: readonly (readonly Message[])[]) {
  const opened = await openTestStore(t)
  for (const set of sets) await takeSet(opened, set)
  return opened
}
async function takeSet(
  { store: taking, database }: { store: Store; database: TestDatabase },
  set: readonly Message[],
): Promise<void> {
  await ingestSubjects(taking, set, { firstSequence: sequence + 1 })
  sequence += set.length
  await drain(taking)
  await relayAll(database.pool)
}

const WITHOUT_LETTERS = (dump: Awaited<ReturnType<typeof dumpProjections>>) => ({ ...dump, dead_letters: [] })
const dataOf = async ({ pool }: TestDatabase) =>
  (await pool.query<{ row: string }>('select id || data::text as row from events order by id')).rows
/** Which details the message of each payment had. */
const detailsOf = async ({ pool }: TestDatabase) =>
  (
    await pool.query<{ row: string }>(
      `select concat_ws(' ', id, data ->> 'payer', data ->> 'recipient', data ->> 'token_mint') as row
         from events where amount is not null order by id`,
    )
  ).rows
const countOf = ({ pool }: TestDatabase, condition: string) => countRows(pool, `events where ${condition}`)
const archivedOf = (database: TestDatabase) =>
  countOf(database, 'occurred_at < (select lists_begin from stream_head)')
/** Archived payments of which the database holds the data in both forms: what came in the usual form does not shrink. */
const COMPACT = `occurred_at < '2026-04-01Z' and json_typeof(data) = 'array'`
const LONG = `occurred_at < '2026-04-01Z' and amount is not null and json_typeof(data) = 'object'`
/** Payments of which the database should have less, and does not, or the other way round. */
const wrongOf = (database: TestDatabase) => countOf(database, `shrunk <> (${LONG})`)

const DAY = 86_400
const CLOCK = { nowSeconds: 1_795_000_000, graceSeconds: 7_200, programId: DEFAULT_PROGRAM_ID }
const keysOf = async (pool: Pool, column: string): Promise<string[]> =>
  (
    await pool.query<{ key: string }>(
      `select distinct ${column} as key from events where ${column} is not null order by 1`,
    )
  ).rows.map(({ key }) => key)

/** What readers are answered of everything that archiving must not change. */
async function readAnswers(store: Store, pool: Pool): Promise<Record<string, unknown>> {
  const answers: Record<string, unknown> = {
    names: await listEventNames(store),
    count: await countEvents(store, {}),
    edges: await countEvents(store, {
      startTime: new Date('2025-02-03T04:05:06Z'),
      endTime: new Date('2026-03-10T11:12:13Z'),
    }),
    stats: await readPaymentStats(store, {}),
  }
  for (const name of await listEventNames(store))
    answers[`count ${name}`] = await countEvents(store, { name })
  for (const trackingId of await keysOf(pool, 'tracking_id')) {
    answers[`payments ${trackingId}`] = await listOneTimePayments(
      store,
      trackingId,
      { limit: 1000, offset: 0, retracted: true },
      new Map(),
    )
    answers[`check ${trackingId}`] = await checkPayments(store, trackingId, { amount: '500' }, new Map())
    answers[`seqs ${trackingId}`] = await readPaymentsBySeq(store, [{ trackingId, from: 1, to: 200 }])
    answers[`retracted ${trackingId}`] = await readRetractionsOf(store, [trackingId])
    answers[`claims ${trackingId}`] = await listClaimablePayments(store, { trackingId }, 100)
    answers[`policies ${trackingId}`] = await listSubscriptions(store, { trackingId }, { limit: 100 })
  }
  for (const gateway of await keysOf(pool, 'gateway')) {
    const page = { limit: 1000, offset: 0 }
    answers[`count ${gateway}`] = await countEvents(store, { gateway })
    answers[`stats ${gateway}`] = await readPaymentStats(store, { gateway })
    answers[`stats of a time ${gateway}`] = await readPaymentStats(store, {
      gateway,
      startTime: new Date('2025-02-03T04:05:06Z'),
      endTime: new Date('2026-03-10T11:12:13Z'),
    })
    answers[`subscribers ${gateway}`] = await findSubscribers(store, gateway, {}, page, CLOCK)
    answers[`never paid ${gateway}`] = await findSubscribers(store, gateway, { neverPaid: true }, page, CLOCK)
    answers[`life ${gateway}`] = await readLifeStart(store, gateway)
    answers[`volume ${gateway}`] = await readVolume(store, gateway, {
      from: Date.UTC(2024, 0) / 1000,
      to: Date.UTC(2027, 0) / 1000 + DAY / 2,
      size: 'week',
    })
    const pages: GatewaySubscriptions[] = []
    for await (const page of readSubscriptions(store, gateway)) pages.push(page)
    answers[`subscriptions ${gateway}`] = pages
    answers[`replay ${gateway}`] = await Promise.all(
      pages.map(page => replaySubscriptions(store, page, { gateway, programId: DEFAULT_PROGRAM_ID })),
    )
  }
  return answers
}

t.test('what is archived is known as before, and what comes late is right', async t => {
  const { store: archiving, database } = await store(t, [early, [FINAL]])
  const reference = await store(t, [early, [FINAL]])
  const archive = await openArchive(t, archiving)
  const before = await readAnswers(archiving, database.pool)
  await archive.run()
  const archived = await archivedOf(database)
  t.ok(archived > 200, `${archived} events are archived`)
  t.equal(archived, await countOf(database, `occurred_at < '2026-04-01Z'`))
  t.equal(await wrongOf(database), 0, 'all their payments are short')
  for (const form of [COMPACT, LONG]) t.ok((await countOf(database, form)) > 10, form)
  t.ok(isDeepStrictEqual(await detailsOf(database), await detailsOf(reference.database)), 'details')
  const after = await readAnswers(archiving, database.pool)
  const found = Object.keys(before).filter(asked => !isDeepStrictEqual(after[asked], before[asked]))
  t.strictSame(found, [], 'answers as before')
  t.ok(
    isDeepStrictEqual(await dumpProjections(database.pool), await dumpProjections(reference.database.pool)),
    'as before',
  )

  await takeSet({ store: archiving, database }, late)
  await takeSet(reference, late)
  const wanted = WITHOUT_LETTERS(await dumpProjections(reference.database.pool))
  t.ok(isDeepStrictEqual(WITHOUT_LETTERS(await dumpProjections(database.pool)), wanted), 'late and repeated')
  t.strictSame(await findArrivalProblems(database.pool), [])
  await archive.run()
  const more = await archivedOf(database)
  t.ok(more > archived, 'late events are archived')
  t.equal(await wrongOf(database), 0, 'and short')
  const inFiles = (await listArchiveParts(archiving)).reduce((sum, { count }) => sum + count, 0)
  t.equal(inFiles, more, 'and each is in a file')
  t.ok(isDeepStrictEqual(WITHOUT_LETTERS(await dumpProjections(database.pool)), wanted), 'as before')

  await database.pool.query(
    'update policies set total_paid = 0, payment_count = 7; update event_counts set count = 1',
  )
  await database.pool.query(
    "update events set payer = null, recipient = null where amount is not null and payment_policy <> '11111111111111111111111111111111'",
  )
  await rebuildProjections(archiving, { programId: PROGRAM.programId })
  t.ok(isDeepStrictEqual(WITHOUT_LETTERS(await dumpProjections(database.pool)), wanted), 'no archive read')

  const { isRight, said } = await operate(archiving, archive.files, { does: 'verify' })
  t.ok(isRight, said)
  const [{ month }] = (await listArchiveParts(archiving)) as [ArchivePart]
  await operate(archiving, archive.files, { does: 'restore', month })
  t.equal(await archivedOf(database), 0)
  t.equal(await countShort(database.pool), 0)
  t.ok(isDeepStrictEqual(await dataOf(database), await dataOf(reference.database)), 'every digit is back')
  await archive.run()
  t.equal(await archivedOf(database), 0, 'a restored month stays')
  await database.pool.query('update stream_head set archive_paused_until = clock_timestamp()')
  await archive.run()
  t.equal(await archivedOf(database), more, 'for a while')
  t.equal(await wrongOf(database), 0)
  t.ok(isDeepStrictEqual(WITHOUT_LETTERS(await dumpProjections(database.pool)), wanted), 'as before')
})

t.test('a row of which its file says something else stays, and the rest of its page', async t => {
  const { store: archiving, database } = await store(t, [early.slice(0, 200), [FINAL]])
  const archive = await openArchive(t, archiving)
  const { files } = archive
  const change = async (name: string) => {
    if (name.endsWith('.gz'))
      await database.pool.query(
        `update events set data = '{"changed":true}' where id = (select id from events order by occurred_at limit 1)`,
      )
    return files.read(name)
  }
  await t.rejects(
    archive.run({
      files: { check: () => files.check(), write: (...file) => files.write(...file), read: change },
    }),
    { code: 'ARCHIVE_DIFFERS', message: /and the database differ in 1 of \d+ events: bring back/ },
  )
  t.equal(await countShort(database.pool), 0)
})

t.test('a payment that cannot shrink stays as it is, and is known as before', async t => {
  const odd = say('PaymentRecord', 100, {
    ...(JSON.parse(Buffer.from(pay(100).bytes).toString()) as { data: object }).data,
    note: 'a\u0000b',
  })
  const { store: archiving, database } = await openTestStore(t)
  await take(archiving, database.pool, [userPayment, created(1, 10, PERIODS), pay(50), odd, FINAL])
  const wanted = await dumpProjections(database.pool)
  const before = await dataOf(database)
  const archive = await openArchive(t, archiving)
  await archive.run({ months: 0 })
  t.equal(await countShort(database.pool), 1)
  await database.pool.query('update policies set total_paid = 0')
  await rebuildProjections(archiving, { programId: PROGRAM.programId })
  t.ok(isDeepStrictEqual(await dumpProjections(database.pool), wanted))
  await operate(archiving, archive.files, { does: 'restore', month: '2026-05' })
  t.strictSame(await dataOf(database), before)
})
