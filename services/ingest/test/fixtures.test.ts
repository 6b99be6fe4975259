import { policyTypeView, readJson, writeJson } from '@payment-tracking/domain'
import { rebuildProjections, refoldPage, type Store } from '@payment-tracking/store'
import {
  dumpProjections,
  findArrivalProblems,
  readExpectedAnswers,
  readFixtureMessages,
  type Pool,
  type ProjectionDump,
} from '@payment-tracking/testkit'
import t from 'tap'
import { ingestMessages, PROGRAM, shuffle } from './ingest-messages.js'
import { openTestStore } from './open-test-store.js'

const messages = await readFixtureMessages()
const expected = await readExpectedAnswers()

/** The database that saw the fixtures once, in order. Every other run must end in the same rows. */
let reference: ProjectionDump

/** The rows behind all work that the messages left. */
async function dump(store: Store, pool: Pool): Promise<ProjectionDump> {
  while ((await refoldPage(store, { programId: PROGRAM.programId })) !== null);
  return dumpProjections(pool)
}

const without = (dump: ProjectionDump, table: keyof ProjectionDump) => ({ ...dump, [table]: [] })

t.test('the fixtures in order give exactly the expected state', async t => {
  const { store, database } = await openTestStore(t)
  await ingestMessages(store, messages)
  const query = async <R>(sql: string, values: unknown[] = []) =>
    (await database.pool.query(sql, values)).rows as R[]

  const counts = await query<{ name: string; count: string }>(
    'select name, count(*) from events group by name',
  )
  t.strictSame(Object.fromEntries(counts.map(row => [row.name, Number(row.count)])), expected.countByName)
  const aggregated = await query<{ name: string; count: string }>(
    'select name, count from event_counts where span = 0',
  )
  t.strictSame(Object.fromEntries(aggregated.map(row => [row.name, Number(row.count)])), expected.countByName)
  t.equal(
    Number((await query<{ count: string }>('select count(*) from dead_letters'))[0]!.count),
    expected.rejected,
  )

  for (const { gateway, count, totalAmount } of expected.stats) {
    const [stat] = await query<{ count: string; total: string }>(
      `select s.count, sum(t.total)::text as total from payment_stats s join payment_token_stats t using (gateway, span, start)
        where gateway = $1 and span = 0 group by 1`,
      [gateway],
    )
    t.strictSame(stat, { count: String(count), total: String(totalAmount) }, `stats of ${gateway}`)
  }

  for (const {
    query: { trackingId },
    policyAddress,
    status,
    record,
  } of expected.subscriptions) {
    const [row] = await query<Record<string, string>>(
      `select *, policy_type::text as type_text from policies where live and tracking_id = $1 and address = $2`,
      [trackingId, policyAddress],
    )
    if (!row) {
      t.fail(`no policy ${policyAddress} for ${trackingId}`)
      continue
    }
    const due = row.next_payment_due === null ? null : BigInt(row.next_payment_due!)
    const served = {
      userPayment: row.user_payment,
      recipient: row.recipient,
      gateway: row.gateway,
      policyId: Number(row.policy_id),
      policyType: policyTypeView(row.type_text!, { nextPaymentDue: due }),
      memo: row.tracking_id,
      totalPaid: BigInt(row.total_paid!),
      createdAt: Number(row.created_at),
      updatedAt: Number(row.updated_at),
    }
    t.strictSame(readJson(writeJson(served)), record, `subscription ${trackingId}`)
    t.equal(row.status, status, `status of ${trackingId}`)
  }
  for (const trackingId of expected.deletedTrackingIds) {
    t.strictSame(
      await query('select address from policies where live and tracking_id = $1', [trackingId]),
      [],
    )
  }
  for (const trackingId of expected.otherPolicyTypes) {
    t.equal(
      (await query('select address from policies where live and tracking_id = $1', [trackingId])).length,
      1,
    )
  }
  t.strictSame(await findArrivalProblems(database.pool), [])
  reference = await dump(store, database.pool)
})

for (const [title, batches, run] of [
  [
    'shuffled, in batches of 7',
    Math.ceil(messages.length / 7),
    (store: Store) => ingestMessages(store, shuffle(messages, 1), { batchSize: 7 }),
  ],
  [
    'shuffled, all in one batch',
    1,
    (store: Store) => ingestMessages(store, shuffle(messages, 2), { batchSize: 1000 }),
  ],
  [
    'backwards, in batches of 50',
    Math.ceil(messages.length / 50),
    (store: Store) => ingestMessages(store, [...messages].reverse(), { batchSize: 50 }),
  ],
] as const) {
  t.test(`the fixtures ${title} end in the same rows`, async t => {
    const { store, database } = await openTestStore(t)
    const committed = await run(store)
    t.equal(committed.length, batches, 'no batch had to be split')
    t.strictSame(await dump(store, database.pool), reference)
    t.strictSame(await findArrivalProblems(database.pool), [])
  })
}

t.test('the fixtures one by one, then shuffled once more, end in the same rows', async t => {
  const { store, database } = await openTestStore(t)
  await ingestMessages(store, messages, { batchSize: 1 })
  t.strictSame(await dump(store, database.pool), reference)
  const again = await ingestMessages(store, shuffle(messages, 3), { firstSequence: 10_000 })
  t.equal(
    again.reduce(
      (sum, batch) => sum + batch.storedCount + batch.payments.length + batch.deliveries.length,
      0,
    ),
    0,
    'the repetition stores, announces and delivers nothing',
  )
  const rows = await dump(store, database.pool)
  t.strictSame(without(rows, 'dead_letters'), without(reference, 'dead_letters'))
  t.equal(rows.dead_letters.length, 2 * expected.rejected, 'each refused message of the stream is kept once')
})

t.test('a batch that is delivered twice changes nothing', async t => {
  const { store, database } = await openTestStore(t)
  await ingestMessages(store, messages)
  await ingestMessages(store, messages)
  t.strictSame(await dump(store, database.pool), reference)
})

t.test('projections rebuilt from events alone are the same rows', async t => {
  const { store, database } = await openTestStore(t)
  await ingestMessages(store, shuffle(messages, 4), { batchSize: 40 })
  await database.pool.query(`update policies set payment_count = payment_count + 1, status = 'wrong'`)
  await rebuildProjections(store, { programId: PROGRAM.programId })
  t.strictSame(await dump(store, database.pool), reference)
})
