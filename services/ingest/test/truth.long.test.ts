// The second set of fixtures: every kind of payment and policy, in any order and any batches, with retractions.
import { rebuildProjections, refoldPage, type Store } from '@payment-tracking/store'
import {
  dumpProjections,
  findArrivalProblems,
  readSecondAnswers,
  readSecondFixtures,
  shuffleFixtures,
  type Pool,
  type ProjectionDump,
} from '@payment-tracking/testkit'
import t from 'tap'
import { ingestSubjects, PROGRAM } from './ingest-messages.js'
import { openTestStore } from './open-test-store.js'

const messages = await readSecondFixtures()
const expected = await readSecondAnswers()

/** The database that saw the messages once, in order. Every other run must end in the same rows. */
let reference: ProjectionDump

/** The rows behind all work that the messages left. */
async function dump(store: Store, pool: Pool): Promise<ProjectionDump> {
  while ((await refoldPage(store, { programId: PROGRAM.programId })) !== null);
  return dumpProjections(pool)
}

t.test('the messages in order are stored, counted and refused as specified', async t => {
  const { store, database } = await openTestStore(t)
  await ingestSubjects(store, messages)
  const countsOf = async (sql: string): Promise<Record<string, number>> => {
    const { rows } = await database.pool.query<{ key: string; count: string }>(sql)
    return Object.fromEntries(rows.map(({ key, count }) => [key, Number(count)]))
  }
  t.strictSame(
    await countsOf('select name as key, count(*) from events where retracted_at is null group by name'),
    expected.countByName,
  )
  t.strictSame(
    await countsOf('select name as key, count from event_counts where span = 0'),
    expected.countByName,
  )
  t.same(await countsOf(`select 'all' as key, count(*) from events where retracted_at is not null`), {
    all: expected.retractedEvents,
  })
  const { unnamed, ...refused } = expected.deadLetters as Record<string, number>
  const letters = await countsOf(
    'select code as key, count(*) from dead_letters where replayed_at is null group by code',
  )
  const { BAD_CONTROL, BAD_TRANSACTION_INDEX, BAD_COMMITMENT, ...named } = letters
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
  t.strictSame(await findArrivalProblems(database.pool), [])
  reference = await dump(store, database.pool)
})

for (const [title, seed, batchSize] of [
  ['shuffled, in batches of 7', 1, 7],
  ['shuffled, all in one batch', 3, 2_000],
  ['shuffled, in batches of 40', 4, 40],
] as const) {
  t.test(`the messages ${title} end in the same rows, and so they do once more`, async t => {
    const { store, database } = await openTestStore(t)
    const shuffled = shuffleFixtures(messages, seed)
    await ingestSubjects(store, shuffled, { batchSize })
    t.strictSame(await dump(store, database.pool), reference)
    t.strictSame(await findArrivalProblems(database.pool), [])
    const again = await ingestSubjects(store, shuffleFixtures(messages, seed + 100), {
      batchSize,
      firstSequence: 10_000,
    })
    const told = again.flatMap(({ payments, retractions, deliveries }) => [
      ...payments,
      ...retractions,
      ...deliveries,
    ])
    t.strictSame(told, [], 'the repetition tells nothing')
    t.equal(
      again.reduce((sum, batch) => sum + batch.storedCount, 0),
      0,
      'and stores nothing',
    )
    const rows = await dump(store, database.pool)
    t.strictSame({ ...rows, dead_letters: [] }, { ...reference, dead_letters: [] })
  })
}

t.test('a transaction that is repeated too early waits until the first transaction is retracted', async t => {
  const { store, database } = await openTestStore(t)
  const retracted = new Set(
    messages.filter(({ subject }) => subject.endsWith('.retracted')).map(({ signature }) => signature),
  )
  const ofThem = messages.filter(({ signature }) => retracted.has(signature))
  const committed = await ingestSubjects(store, ofThem, { batchSize: 1 })
  const { rows } = await database.pool.query<{ taken_in: string; open: string }>(
    `select count(replayed_at) as taken_in, count(*) filter (where code = 'CONFLICT' and replayed_at is null) as open
       from dead_letters`,
  )
  t.same(rows, [{ taken_in: `${expected.waited as number}`, open: '0' }])
  const { rows: missing } = await database.pool.query(
    `select d.signature from dead_letters d
      where d.replayed_at is not null
        and not exists (select from events e where e.signature = d.signature
                         and e.slot = (convert_from(d.bytes, 'UTF8')::json ->> 'slot')::bigint)`,
  )
  t.same(missing, [], 'what waited is stored')
  const told = committed.flatMap(batch => batch.payments.map(({ eventId }) => eventId))
  t.equal(new Set(told).size, told.length, 'each payment is told once')
  // Executions whose policy is unknown here were never announced.
  const followed = committed.flatMap(batch => batch.retractions).filter(({ seq }) => seq !== null)
  t.ok(followed.length > 0)
  for (const { eventId } of followed) t.ok(told.includes(eventId), 'what is taken back was told')
})

t.test('projections rebuilt from events alone are the same rows', async t => {
  const { store, database } = await openTestStore(t)
  await ingestSubjects(store, shuffleFixtures(messages, 5), { batchSize: 40 })
  await database.pool.query(`update policies set payment_count = payment_count + 1, status = 'wrong'`)
  await database.pool.query('update payment_token_stats set min = 0, max = null')
  await rebuildProjections(store, { programId: PROGRAM.programId })
  t.strictSame(await dump(store, database.pool), reference)
})
