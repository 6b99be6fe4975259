// A page of archiving reads about that page, however many events there are, and whatever Postgres knows of them: it says how
// many rows each statement took. So does a page of a list that ends in a month while the month moves.
import { analyzeAll, createDatabase, fillEvents } from '@payment-tracking/testkit'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import t, { type Test } from 'tap'
import { openStore } from '../src/database/open-store.js'
import { sql, toStatement } from '../src/database/sql.js'
import {
  beginArchivePart,
  countArchived,
  findArchivedAfter,
  findArchivedEvent,
  findArchivedMonth,
  findOldMonth,
  moveArchivePage,
  readArchivedUpTo,
  readEventPage,
  readFirstEvent,
  readMonth,
  surveyMonth,
  wantMonthLive,
  type ArchiveLine,
  type EventFilter,
  type Store,
} from '../src/index.js'
import type { EventKey } from '../src/reads/cursor.js'
import { blocksOf, rowsOfPlan, STATEMENTS, type Plan } from './plans.js'

const EVENTS = 60_000
const OLD = 9_000
/** Of these. */
const EARLY = 200
/** Of a page of the survey and of the file, and a few. */
const READ_PAGE = 1_100
const PAGE = 500

const database = await createDatabase(t)
const { pool } = database
const store = openStore({ DATABASE_URL: database.url })
t.teardown(() => store.close())
t.setTimeout(300_000)
await pool.query('alter table live_events set (autovacuum_enabled = off)')
const filled = await fillEvents(pool, EVENTS)
const makeOld = (count: number) =>
  pool.query(
    `update events set occurred_at = '2020-03-01Z'::timestamptz + slot % 86400 * interval '1 second', commitment = 'finalized'
      where id in (select id from events order by position limit ${count})`,
  )

/** What Postgres knows of the month, one after the other. */
const STATISTICS: Record<string, () => Promise<unknown>> = {
  'statistics of a time when the month had few events': async () => {
    await makeOld(EARLY)
    await analyzeAll(pool)
    await makeOld(OLD)
  },
  'no statistics': () => pool.query(`delete from pg_statistic where starelid = 'live_events'::regclass`),
  'statistics of today': () => analyzeAll(pool),
}

interface Read {
  text: string
  /** with those of indexes that were passed */
  blocks: number
  rows: number
  plan: Plan
}

/** Runs an act, then explains each of its statements with the values that it sent. What was written stays as it is. */
async function readBy<T>(act: (store: Store) => Promise<T>): Promise<{ answer: T; reads: Read[] }> {
  const sent: { text: string; values: unknown[] }[] = []
  const note = (statement: unknown) => void sent.push(statement as (typeof sent)[number])
  subscribe(STATEMENTS, note)
  const answer = await act(store).finally(() => unsubscribe(STATEMENTS, note))
  const reads: Read[] = []
  for (const { text, values } of sent) {
    if (!/^\s*(select|update|with)/i.test(text) || !/\b(live_|archived_)?events\b|archive_parts/.test(text))
      continue
    await pool.query('begin')
    const { rows } = await pool.query<{ 'QUERY PLAN': { Plan: Plan }[] }>(
      `explain (analyze, buffers, timing off, format json) ${text}`,
      values,
    )
    await pool.query('rollback')
    const plan = rows[0]!['QUERY PLAN'][0]!.Plan
    reads.push({ text, plan, rows: rowsOfPlan(plan), blocks: blocksOf(plan) })
  }
  return { answer, reads }
}

/** A store whose pipelined transactions explain what they write, and take that back before they write it. */
const explaining = (reads: Read[]): Store => ({
  ...store,
  database: {
    ...store.database,
    pipelinedTransaction: work =>
      store.database.pipelinedTransaction(tx => {
        const $executeRaw: typeof tx.$executeRaw = async (query, ...values) => {
          const { strings, values: sent, text } = toStatement(query, values)
          await tx.$executeRaw`savepoint explained`
          const [row] = await tx.$queryRaw<{ 'QUERY PLAN': { Plan: Plan }[] | string }[]>(
            sql(
              [`explain (analyze, buffers, timing off, format json) ${strings[0]}`, ...strings.slice(1)],
              ...sent,
            ),
          )
          await tx.$executeRaw`rollback to savepoint explained`
          const answer = row!['QUERY PLAN']
          const [{ Plan: plan }] = (typeof answer === 'string' ? JSON.parse(answer) : answer) as [
            { Plan: Plan },
          ]
          reads.push({ text, plan, rows: rowsOfPlan(plan), blocks: blocksOf(plan) })
          return tx.$executeRaw(query, ...values)
        }
        return work({
          $queryRaw: (query, ...values) => tx.$queryRaw(query, ...values),
          $executeRaw,
          send: statement => tx.send(statement),
        })
      }),
  },
})

/** @param bound the most rows of one statement @param mostBlocks that it touches */
async function within<T>(
  t: Test,
  name: string,
  bound: number,
  act: (store: Store) => Promise<T>,
  mostBlocks = Infinity,
): Promise<T> {
  const { answer, reads } = await readBy(act)
  t.ok(reads.length > 0, `${name}: statements were seen`)
  for (const { text, rows, blocks, plan } of reads) {
    t.ok(rows <= bound, `${name} reads ${rows} rows at most ${bound}`)
    t.ok(blocks <= mostBlocks, `${name} touches ${blocks} blocks at most ${mostBlocks}`)
    if (rows > bound || blocks > mostBlocks) t.comment(text, JSON.stringify(plan, null, 1))
  }
  return answer
}

const LISTED = 50
/** The newest of the events that move, and those behind them. */
const NEWER_AT = OLD + LISTED / 2
const IN_MONTH = { endTime: new Date('2020-03-20Z') }
const { gateways, policies, trackingIds, recipients } = filled
const [gateway, paymentPolicy, trackingId] = [gateways[3]!, policies[7]!, trackingIds[7]!]
/** Lists that end in the month, for they begin in it, or have a few events behind it. */
const LISTS: Record<string, [EventFilter, EventKey?]> = {
  'all events': [IN_MONTH],
  'all events behind a cursor': [{}, keyAt(NEWER_AT)],
  payments: [{ payments: true }, keyAt(NEWER_AT)],
  'events of a name': [{ name: 'PaymentPolicyCreated' }, keyAt(NEWER_AT)],
  'a gateway': [{ gateway }, keyAt(NEWER_AT)],
  'a gateway until a time': [{ gateway, ...IN_MONTH }],
  'a name of a gateway': [{ gateway, name: 'PaymentPolicyCreated', ...IN_MONTH }],
  'a policy': [{ paymentPolicy, ...IN_MONTH }],
  'a tracking ID': [{ trackingId, ...IN_MONTH }],
  'a recipient': [{ name: 'PaymentPolicyCreated', recipient: recipients[2]!, ...IN_MONTH }],
  slots: [{ maxSlot: filled.slotOf(NEWER_AT) }],
}
function keyAt(n: number): EventKey {
  return {
    occurredAt: filled.timeOf(n),
    slot: filled.slotOf(n),
    index: 0,
    id: '00000000-0000-4000-8000-000000000000',
  }
}

/** While a part of the month's events are in live_events. */
async function listWithin(t: Test, direction: string): Promise<void> {
  for (const [name, [filter, after]] of Object.entries(LISTS))
    await within(
      t,
      `the list of ${name} while a month is ${direction}`,
      2 * LISTED,
      reader => readEventPage(reader, filter, { limit: LISTED, offset: 0, after }, new Map()),
      4 * LISTED,
    )
  await within(t, 'where lists begin', 5, readFirstEvent)
}

/** Reads a month up to its last event, as the archiver does. */
async function readOld(t: Test): Promise<{ lines: ArchiveLine[]; upTo: bigint }> {
  const stop = new AbortController().signal
  const month = await within(t, 'the oldest month', 2, reader =>
    findOldMonth(reader, new Date('2020-06-01Z')),
  )
  t.equal(month, '2020-03')
  const { upTo, obstacle } = await within(t, 'the look at a month', READ_PAGE, reader =>
    surveyMonth(reader, '2020-03', { settledSeconds: 0, stop }),
  )
  t.not(obstacle, 'not-final')
  const lines = await within(t, 'the events of a month', READ_PAGE, async reader => {
    const read: ArchiveLine[] = []
    for await (const page of readMonth(reader, '2020-03', upTo)) read.push(...page)
    return read
  })
  t.equal(lines.length, OLD)
  return { lines, upTo }
}

for (const [name, prepare] of Object.entries(STATISTICS))
  t.test(`a page of a month reads that page, with ${name}`, async t => {
    await prepare()
    await readOld(t)
  })

t.test('a page that moves reads its page, and a look-up its answer', async t => {
  const { lines, upTo } = await readOld(t)
  const part = { month: '2020-03', part: 1, file: 'test/2020-03/1-x.ndjson.gz', sha256: 'x' }
  const positions = lines.map(({ position }) => position).sort((a, b) => Number(a - b))
  await beginArchivePart(
    store,
    {
      ...part,
      bytes: 1n,
      count: OLD,
      firstPosition: positions[0]!,
      lastPosition: positions.at(-1)!,
    },
    { upTo },
  )
  const options = { sizer: { rowsOf: () => PAGE, note: () => {} } }
  // Each line: its row by the primary key, and what writes it.
  const reads: Read[] = []
  await moveArchivePage(explaining(reads), part, lines, options)
  t.equal(reads.length, 1)
  t.ok(reads[0]!.rows <= 4 * PAGE, `a page that moves reads ${reads[0]!.rows} rows at most ${4 * PAGE}`)
  await listWithin(t, 'archived')
  while (await moveArchivePage(store, part, lines, options));
  const page = lines.slice(0, PAGE)
  t.equal(await within(t, 'a page of the comparison', PAGE, reader => countArchived(reader, page)), PAGE)
  const { rows } = await pool.query('select count(*)::int as count from events where archived')
  t.equal(rows[0].count, OLD)

  const [line] = lines as [ArchiveLine]
  await analyzeAll(pool)
  for (const [name, act, answer] of [
    ['an id', reader => findArchivedEvent(reader, line.id), '2020-03'],
    ['a signature', reader => findArchivedMonth(reader, { signature: line.signature }), '2020-03'],
    ['a position', reader => findArchivedAfter(reader, 0n), '2020-03'],
    ['the last position', reader => readArchivedUpTo(reader), positions.at(-1)],
  ] as [string, (store: Store) => Promise<unknown>, unknown][])
    t.equal(await within(t, `the look-up of ${name}`, 3, act), answer, name)

  await wantMonthLive(store, '2020-03')
  for (let moved = OLD; moved > OLD / 2; moved -= PAGE) await moveArchivePage(store, part, lines, options)
  await listWithin(t, 'restored')
})
