// A set of fixtures: every order and cut of its messages ends in the same rows, and a repetition announces nothing. What the rows
// answer, services/api/test/truth.test.ts compares with the set's expected.json.
import { rebuildProjections, runTaskPage } from '@payment-tracking/store/ingest'
import { type Store } from '@payment-tracking/store/core'
import {
  dumpProjections,
  findArrivalProblems,
  openTestStore,
  type FixtureMessage,
  type Pool,
  type ProjectionDump,
} from '@payment-tracking/testkit'
import type { Test } from 'tap'
import { ingestSubjects, PROGRAM } from './ingest-messages.js'

export interface FixtureSet {
  messages: readonly FixtureMessage[]
  countByName: Record<string, number>
  shuffle: (messages: readonly FixtureMessage[], seed: number) => FixtureMessage[]
  /** sizes of the batches in which shuffled messages come */
  batchSizes: readonly number[]
  /** what else the set says of the rows, after its messages in order */
  check: (t: Test, countsOf: (sql: string) => Promise<Record<string, number>>) => Promise<void>
}

/** The rows behind all work that the messages left. */
async function dump(store: Store, pool: Pool): Promise<ProjectionDump> {
  while ((await runTaskPage(store, { programId: PROGRAM.programId })).length > 0);
  return dumpProjections(pool)
}

export function holdFixtures(
  t: Test,
  { messages, countByName, shuffle, batchSizes, check }: FixtureSet,
): void {
  /** The rows after the messages in order, once. */
  let reference: ProjectionDump

  t.test('the messages in order are stored, counted and refused as specified', async t => {
    const { store, database } = await openTestStore(t)
    await ingestSubjects(store, messages)
    const countsOf = async (sql: string): Promise<Record<string, number>> => {
      const { rows } = await database.pool.query<{ key: string; count: string }>(sql)
      return Object.fromEntries(rows.map(({ key, count }) => [key, Number(count)]))
    }
    const stored = 'select name as key, count(*) from events where retracted_at is null group by name'
    t.strictSame(await countsOf(stored), countByName)
    const counted = 'select name as key, count from event_counts where span = 0'
    t.strictSame(await countsOf(counted), countByName)
    await check(t, countsOf)
    t.strictSame(await findArrivalProblems(database.pool), [])
    reference = await dump(store, database.pool)
  })

  for (const [nth, batchSize] of batchSizes.entries())
    t.test(`shuffled, ${batchSize} at once, they end in the same rows, and so they do once more`, async t => {
      const { store, database } = await openTestStore(t)
      const committed = await ingestSubjects(store, shuffle(messages, nth + 1), { batchSize })
      t.equal(committed.length, Math.ceil(messages.length / batchSize), 'no batch had to be split')
      t.strictSame(await dump(store, database.pool), reference)
      t.strictSame(await findArrivalProblems(database.pool), [])
      const again = await ingestSubjects(store, shuffle(messages, nth + 101), {
        batchSize,
        firstSequence: 10_000,
      })
      const announced = again.flatMap(batch => [...batch.payments, ...batch.retractions, ...batch.deliveries])
      t.strictSame(announced, [], 'the repetition announces nothing')
      t.ok(
        again.every(({ storedCount }) => storedCount === 0),
        'and stores nothing',
      )
      const rows = await dump(store, database.pool)
      t.strictSame({ ...rows, dead_letters: [] }, { ...reference, dead_letters: [] })
    })

  t.test('projections rebuilt from events alone are the same rows', async t => {
    const { store, database } = await openTestStore(t)
    await ingestSubjects(store, shuffle(messages, 5), { batchSize: 40 })
    await database.pool.query(`update policies set payment_count = payment_count + 1, status = 'wrong'`)
    await database.pool.query('update payment_token_stats set min = 0, max = null')
    await rebuildProjections(store, { programId: PROGRAM.programId })
    t.strictSame(await dump(store, database.pool), reference)
  })
}
