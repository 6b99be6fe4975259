// The second set of fixtures: every kind of payment and policy, in any order and any batches, with retractions.
import {
  openTestStore,
  readSecondAnswers,
  readSecondFixtures,
  shuffleFixtures,
} from '@payment-tracking/testkit'
import t from 'tap'
import { holdFixtures } from './hold-fixtures.js'
import { ingestSubjects } from './ingest-messages.js'

const messages = await readSecondFixtures()
const expected = await readSecondAnswers()

holdFixtures(t, {
  messages,
  countByName: expected.countByName as Record<string, number>,
  shuffle: shuffleFixtures,
  batchSizes: [7, 2_000, 40],
  check: async (t, countsOf) => {
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
  },
})

t.test('a transaction that is repeated too early waits until the first transaction is retracted', async t => {
  const { store, pool } = await openTestStore(t)
  const retracted = new Set(
    messages.filter(({ subject }) => subject.endsWith('.retracted')).map(({ signature }) => signature),
  )
  const ofThem = messages.filter(({ signature }) => retracted.has(signature))
  const committed = await ingestSubjects(store, ofThem, { batchSize: 1 })
  const { rows } = await pool.query<{ taken_in: string; open: string }>(
    `select count(replayed_at) as taken_in, count(*) filter (where code = 'CONFLICT' and replayed_at is null) as open
       from dead_letters`,
  )
  t.same(rows, [{ taken_in: `${expected.waited as number}`, open: '0' }])
  const { rows: missing } = await pool.query(
    `select d.signature from dead_letters d
      where d.replayed_at is not null
        and not exists (select from events e where e.signature = d.signature
                         and e.slot = (convert_from(d.bytes, 'UTF8')::json ->> 'slot')::bigint)`,
  )
  t.same(missing, [], 'what waited is stored')
  const announced = committed.flatMap(batch => batch.payments.map(({ eventId }) => eventId))
  t.equal(new Set(announced).size, announced.length, 'each payment is announced once')
  // Executions whose policy is unknown here were never announced.
  const followed = committed.flatMap(batch => batch.retractions).filter(({ seq }) => seq !== null)
  t.ok(followed.length > 0)
  for (const { eventId } of followed) t.ok(announced.includes(eventId), 'what is taken back was announced')
})
