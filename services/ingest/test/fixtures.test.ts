// Each set of fixtures is stored, counted and refused as it says. What its rows answer, services/api/test/truth.test.ts compares; that
// no order, cut or repetition changes them is a law of packages/store/test/laws.
import {
  findArrivalProblems,
  openTestStore,
  readExpectedAnswers,
  readFixtureMessages,
  readSecondAnswers,
  readSecondFixtures,
  toFixtureMessages,
  type FixtureMessage,
} from '@payment-tracking/testkit'
import t, { type Test } from 'tap'
import { ingestSubjects } from './ingest-messages.js'

/** Stores a set in order. @returns what asks for counts by key */
async function openStored(t: Test, messages: readonly FixtureMessage[], countByName: unknown) {
  const { store, pool } = await openTestStore(t)
  await ingestSubjects(store, messages)
  const countsOf = async (sql: string): Promise<Record<string, number>> => {
    const { rows } = await pool.query<{ key: string; count: string }>(sql)
    return Object.fromEntries(rows.map(({ key, count }) => [key, Number(count)]))
  }
  const stored = 'select name as key, count(*) from events where retracted_at is null group by name'
  t.strictSame(await countsOf(stored), countByName)
  t.strictSame(
    await countsOf('select name as key, count from event_counts where span = 0'),
    countByName,
    'counted',
  )
  t.strictSame(await findArrivalProblems(pool), [])
  return countsOf
}
const LETTERS = 'select code as key, count(*) from dead_letters where replayed_at is null group by code'

t.test('the first set: each message is refused for its own fault, and nothing contradicts', async t => {
  const { countByName } = await readExpectedAnswers()
  const countsOf = await openStored(t, toFixtureMessages(await readFixtureMessages()), countByName)
  t.same(await countsOf(LETTERS), {
    NOT_JSON: 2,
    NOT_AN_EVENT: 3,
    BAD_SLOT: 3,
    BAD_SIGNATURE: 2,
    BAD_INDEX: 2,
    BAD_EVENT_NAME: 1,
    BAD_TIMESTAMP: 1,
    BAD_DATA: 12,
    FOREIGN_PROGRAM: 1,
  })
})

t.test('the second set: retractions, gaps and what is final too', async t => {
  const expected = await readSecondAnswers()
  const countsOf = await openStored(t, await readSecondFixtures(), expected.countByName)
  t.same(await countsOf(`select 'all' as key, count(*) from events where retracted_at is not null`), {
    all: expected.retractedEvents,
  })
  const { unnamed, ...refused } = expected.deadLetters as Record<string, number>
  const { BAD_CONTROL, BAD_TRANSACTION_INDEX, BAD_COMMITMENT, ...named } = await countsOf(LETTERS)
  t.strictSame(named, refused)
  t.equal(BAD_CONTROL! + BAD_TRANSACTION_INDEX! + BAD_COMMITMENT!, unnamed)
  t.same(await countsOf(`select 'slot' as key, finalized_slot as count from stream_head`), {
    slot: expected.finalizedSlot,
  })
  const gaps = expected.gaps as { open: unknown[]; closed: unknown[] }
  t.same(await countsOf('select (closed_at is null)::text as key, count(*) from gaps group by 1'), {
    true: gaps.open.length,
    false: gaps.closed.length,
  })
})
