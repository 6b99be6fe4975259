// Archiving a month reads about that month, and a look-up of what is archived a few rows, however many events there are:
// Postgres says how many rows each statement took.
import {
  beginArchivePart,
  findArchivedAfter,
  findArchivedEvent,
  findArchivedMonth,
  findOldMonth,
  moveArchivePage,
  openStore,
  readArchivedUpTo,
  readMonth,
  surveyMonth,
  type ArchiveLine,
  type Store,
} from '@payment-tracking/store'
import { analyzeAll, createDatabase, fillEvents } from '@payment-tracking/testkit'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import t from 'tap'
import { rowsOfPlan, STATEMENTS, type Plan } from './plans.js'

const EVENTS = 60_000
const OLD = 3_000
const PAGE = 500

const database = await createDatabase(t)
const { pool } = database
const store = openStore({ DATABASE_URL: database.url })
t.teardown(() => store.close())
t.setTimeout(300_000)
await fillEvents(pool, EVENTS)
await pool.query(
  `update events set occurred_at = '2020-03-01Z'::timestamptz + slot % 86400 * interval '1 second', commitment = 'finalized'
    where id in (select id from events order by position limit ${OLD})`,
)
await analyzeAll(pool)

interface Read {
  text: string
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
      `explain (analyze, timing off, format json) ${text}`,
      values,
    )
    await pool.query('rollback')
    const plan = rows[0]!['QUERY PLAN'][0]!.Plan
    reads.push({ text, plan, rows: rowsOfPlan(plan) })
  }
  return { answer, reads }
}

t.test('archiving reads its month, and a look-up its answer', async t => {
  /** @param bound the most rows of one statement */
  async function within<T>(name: string, bound: number, act: (store: Store) => Promise<T>): Promise<T> {
    const { answer, reads } = await readBy(act)
    t.ok(reads.length > 0, `${name}: statements were seen`)
    for (const { text, rows, plan } of reads) {
      t.ok(rows <= bound, `${name} reads ${rows} rows at most ${bound}`)
      if (rows > bound) t.comment(text, JSON.stringify(plan, null, 1))
    }
    return answer
  }

  const stop = new AbortController().signal
  const month = await within('the oldest month', 2, reader => findOldMonth(reader, new Date('2020-06-01Z')))
  t.equal(month, '2020-03')
  const { upTo, obstacle } = await within('the look at a month', OLD + 100, reader =>
    surveyMonth(reader, '2020-03', { settledSeconds: 0, stop }),
  )
  t.not(obstacle, 'not-final')
  const lines = await within('the events of a month', OLD + 100, async reader => {
    const read: ArchiveLine[] = []
    for await (const page of readMonth(reader, '2020-03', upTo)) read.push(...page)
    return read
  })
  t.equal(lines.length, OLD)

  const part = { month: '2020-03', part: 1, file: 'test/2020-03/1-x.ndjson.gz', sha256: 'x' }
  const positions = lines.map(({ position }) => position).sort((a, b) => Number(a - b))
  await beginArchivePart(store, {
    ...{ ...part, bytes: 1n, count: OLD },
    ...{ firstPosition: positions[0]!, lastPosition: positions.at(-1)! },
  })
  const options = { sizer: { rowsOf: () => PAGE, note: () => {} } }
  while (await moveArchivePage(store, part, lines, options));
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
    t.equal(await within(`the look-up of ${name}`, 3, act), answer, name)
})
