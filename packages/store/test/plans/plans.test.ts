// Each read of events takes about the rows that it answers, however many events there are, whatever Postgres knows of its
// tables, and with the plan of its values as with the plan that is kept for all values.
import { analyzeAll } from '@payment-tracking/testkit'
import t, { type Test } from 'tap'
import { countArchived, rewriteArchivePage } from '../../src/ingest/archive/rewrite-page.js'
import {
  endRewriting,
  listArchiveParts,
  moveArchiveHead,
  readArchiveHead,
  type ArchivePart,
} from '../../src/ingest/archive/archive-head.js'
import {
  findArchivedAfter,
  findArchivedEvent,
  findArchivedMonth,
  readArchivedUpTo,
} from '../../src/reads/archive/find-archived.js'
import { findFirstPosition, readLate, readMonth } from '../../src/ingest/archive/read-old-events.js'
import { readEventPage } from '../../src/reads/lists/list-events.js'
import { readFirstEvent } from '../../src/reads/lists/read-first-event.js'
import { type ArchiveLine } from '../../src/ingest/archive/archive-line.js'
import { type EventFilter } from '../../src/reads/lists/event-filter.js'
import { type Store } from '../../src/core/database/open-store.js'
import { sql } from '../../src/core/database/sql.js'
import { byIndexes, checkPaymentsWith } from '../../src/reads/lists/check-payments.js'
import {
  blocksOf,
  explain,
  indexesOf,
  ownBlocksOf,
  readPages,
  rowsOfPlan,
  sentBy,
  type Explained,
  type Sent,
  type Plan,
} from './explain.js'
import { explainedStore } from './explained-store.js'
import { OF_KEY, OFTEN, OLD, oftenAt, oftenSlot, openFilledDatabase, SPREAD } from './filled-database.js'
import { listsOfMonth, PAGE, type Read } from './lists.js'
import { NEEDS_STATISTICS, READS } from './reads.js'

t.setTimeout(600_000)
const filledDatabase = await openFilledDatabase(t)
const { pool, store, statistics } = filledDatabase
const reads = READS(filledDatabase)

const total = <T>(items: readonly T[], of: (item: T) => number) =>
  items.reduce((sum, item) => sum + of(item), 0)

async function isWithin(
  t: Test,
  [name, , mostRows, mostBlocks, query]: Read,
  { mode, index, sent }: { mode?: string; index?: string | null; sent?: readonly Sent[] } = {},
) {
  const plans = await explain(pool, sent ?? (await sentBy(store, query)), { mode })
  const rows = total(plans, rowsOfPlan)
  const blocks = total(plans, plan => blocksOf(plan) - ownBlocksOf(plan))
  const isBounded = plans.length > 0 && rows <= mostRows && blocks <= mostBlocks
  t.ok(isBounded, `${name}: ${rows} rows of ${mostRows}, ${blocks} blocks of ${mostBlocks}`, {
    plans: isBounded ? '' : JSON.stringify(plans),
  })
  const used = plans.flatMap(indexesOf)
  if (index) t.ok(used.includes(index), `${name} needs ${index}, and uses ${used.join(', ') || 'no index'}`)
}

for (const [known, prepare] of Object.entries(statistics))
  t.test(`with ${known} each read takes its rows`, async t => {
    await prepare()
    const isKnown = known !== 'no statistics'
    for (const read of reads.filter(([name]) => isKnown || !NEEDS_STATISTICS.includes(name))) {
      const sent = await sentBy(store, read[4])
      await isWithin(t, read, { sent, index: isKnown ? read[1] : null })
      await isWithin(t, read, { sent, mode: 'force_generic_plan' })
    }
  })

t.test('every index of events is needed by a read, for each insert pays for it', async t => {
  const { rows } = await pool.query<{ name: string }>(
    `select indexrelid::regclass::text as name from pg_index where indrelid = 'events'::regclass`,
  )
  const needed = reads.flatMap(([, index]) => (index?.startsWith('events_') ? [index] : []))
  t.strictSame(rows.map(({ name }) => name).sort(), [...new Set(needed)].sort())
})

t.test('a read whose index is gone is found', async t => {
  const [, index, mostRows, , query] = reads.find(([name]) => name === 'a highest slot')!
  const plans = await explain(pool, await sentBy(store, query), { without: index! })
  t.notOk(plans.flatMap(indexesOf).includes(index!))
  t.ok(total(plans, rowsOfPlan) > mostRows)
})

t.test('a check of a frequent key reads indexes, and the newest 1,000 for its list', async t => {
  const plans: Plan[] = []
  await byIndexes(store, run =>
    checkPaymentsWith(
      async statement => {
        const [row] = await run<{ 'QUERY PLAN': { Plan: Plan }[] }>(
          sql`explain (analyze, timing off, format json) ${statement}`,
        )
        plans.push(row!['QUERY PLAN'][0]!.Plan)
        return run(statement)
      },
      SPREAD,
      {},
      new Map(),
    ),
  )
  const [counts, newest] = plans as [Plan, Plan]
  t.same(indexesOf(counts).sort(), ['events_tracking_check', 'events_tracking_seq'])
  t.ok(rowsOfPlan(newest) <= 1_100, `the list: ${rowsOfPlan(newest)} rows`)
})

t.test('a page of a frequent key holds its newest events, within its times and after its cursor', async t => {
  const slotsOf = async (filter: EventFilter, page: object = {}) => {
    const { text } = await readEventPage(store, filter, { limit: 3, offset: 0, ...page }, new Map())
    return (JSON.parse(`[${text}]`) as { slot: number }[]).map(({ slot }) => slot - oftenSlot(0))
  }
  const after = {
    occurredAt: oftenAt(7_200),
    slot: oftenSlot(7_200),
    index: 0,
    id: '00000000-0000-4000-8000-000000000000',
  }
  const times = { startTime: oftenAt(3_600), endTime: oftenAt(9_000) }
  for (const filter of [{ paymentPolicy: OFTEN }, { gateway: OFTEN }]) {
    t.same(await slotsOf(filter), [OF_KEY, OF_KEY - 1, OF_KEY - 2])
    t.same(await slotsOf(filter, { offset: OF_KEY - 2 }), [2, 1])
    t.same(await slotsOf({ ...filter, ...times }), [9_000, 8_999, 8_998], 'the end is inclusive')
    t.same(await slotsOf({ ...filter, ...times }, { offset: 5_399 }), [3_601, 3_600], 'and the beginning')
    t.same(await slotsOf(filter, { after }), [7_199, 7_198, 7_197])
    t.same(await slotsOf({ ...filter, ...times, endTime: oftenAt(5_400) }, { after }), [5_400, 5_399, 5_398])
  }
  t.same(await slotsOf({ trackingId: SPREAD }, { after }), [7_198, 7_196, 7_194])
  t.same(await slotsOf({ gateway: 'ofte' }), [], 'a key is not a prefix')
})

t.test('a page that shrinks reads its page; lists and look-ups of an archive stay bounded', async t => {
  const page = 500
  const stop = new AbortController().signal
  const lines: ArchiveLine[] = (await readPages(readMonth(store, '2020-03'))).flat()
  t.equal(lines.length, OLD)
  const part = { month: '2020-03', part: 1, file: 'test/2020-03/1-x.ndjson.gz', sha256: 'x' }
  const range = { firstPosition: 1n, lastPosition: BigInt(OLD), bytes: 1n, count: OLD }
  const before = await readArchiveHead(store)
  const now = { ...before, listsBegin: new Date('2020-04-01Z'), archivedPosition: BigInt(OLD) }
  const firstPosition = await findFirstPosition(store, now, stop)
  t.equal(firstPosition, BigInt(OLD + 1))
  await isWithin(t, [
    'the first position after an archive',
    null,
    5_002,
    2_200,
    reader => findFirstPosition(reader, now, stop),
  ])
  t.ok(await moveArchiveHead(store, before, { ...now, firstPosition }, [{ ...part, ...range }]))
  const listsAreBounded = async (when: string) => {
    for (const [name, , , , query] of listsOfMonth(filledDatabase))
      await isWithin(t, [`${when}: ${name}`, null, 110, 220, query])
    await isWithin(t, [`${when}: where lists begin`, null, 9, 20, readFirstEvent])
    await isWithin(t, [
      `${when}: slots`,
      null,
      110,
      220,
      reader => readEventPage(reader, { minSlot: 0, maxSlot: 300_000_010 }, PAGE, new Map()),
    ])
  }
  await listsAreBounded('before it shrinks')
  const [shrinking] = (await listArchiveParts(store)) as [ArchivePart]
  const explained: Explained[] = []
  t.equal(
    await rewriteArchivePage(
      explainedStore(
        store,
        each => void explained.push(each),
        ({ text }) => /^\s*update events/.test(text),
      ),
      shrinking,
      lines.slice(0, page),
    ),
    0,
  )
  t.equal(explained.length, 1)
  // Each line: its row by the primary key, twice, and what writes it.
  t.ok(explained[0]!.rows <= 6 * page, `a page that shrinks takes ${explained[0]!.rows} rows`)
  for (let at = page; at < lines.length; at += page)
    t.equal(await rewriteArchivePage(store, shrinking, lines.slice(at, at + page)), 0)
  await endRewriting(store, shrinking)
  await listsAreBounded('when all is short')
  t.equal(await countArchived(store, lines.slice(0, page)), page)
  await analyzeAll(pool)
  const [{ id, signature }] = lines as [ArchiveLine]
  for (const [name, query, answer] of [
    ['an archived id', reader => findArchivedEvent(reader, id), '2020-03'],
    ['an archived signature', reader => findArchivedMonth(reader, { signature }), '2020-03'],
    ['an archived position', reader => findArchivedAfter(reader, 0n), '2020-03'],
    ['the last archived position', reader => readArchivedUpTo(reader), BigInt(OLD)],
  ] as [string, (reader: Store) => Promise<unknown>, unknown][]) {
    t.equal(await query(store), answer, name)
    await isWithin(t, [name, null, 4, 20, query])
  }
  const head = await readArchiveHead(store)
  await isWithin(t, ['what came late', null, 5_010, 3_300, reader => readLate(reader, head, 0)])
})
