// A page of one key reads about as many events as it answers, however many the key has and however many are newer than
// those: with the plan that Postgres makes for the key, and with the plan that it keeps for all keys.
import {
  listClaimablePayments,
  openStore,
  readEventPage,
  readOneTimePage,
  type EventFilter,
  type Store,
} from '@payment-tracking/store'
import { analyzeAll, createDatabase } from '@payment-tracking/testkit'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import t from 'tap'
import type { RunStatement } from '../src/database/database.js'
import { sql } from '../src/database/sql.js'
import { byIndexes, checkPaymentsWith } from '../src/reads/check-payments.js'
import { indexesOf, rowsOfPlan, STATEMENTS, type Plan } from './plans.js'

const OF_KEY = 15_000
const NEWER = 15_000
const PAGE = { limit: 50, offset: 0 }
const KEY = 'often'
/** A tracking ID of every second event, among tracking IDs of one event each. */
const SPREAD = 'spread'
const TIMES = { startTime: new Date('2026-01-01T01:00:00Z'), endTime: new Date('2026-01-01T03:00:00Z') }
const AFTER = {
  occurredAt: new Date('2026-01-01T02:00:00Z'),
  slot: 7_200,
  index: 0,
  id: '00000000-0000-4000-8000-000000000000',
}

const database = await createDatabase(t)
const store = openStore({ DATABASE_URL: database.url })
t.teardown(() => store.close())
// A payment a second. Policy and gateway `often` have the oldest ones, and each other has five.
await database.pool.query(
  `insert into events (id, position, slot, signature, event_index, name, data, commitment, occurred_at, fingerprint,
                       stream_sequence, gateway, payment_policy, tracking_id, seq, payer, recipient, amount, paid_at, record_id)
   select gen_random_uuid(), n, n, 's' || n, 0, 'PaymentRecord', '{}', 'confirmed',
          timestamptz '2026-01-01 UTC' + n * interval '1 second', gen_random_uuid(), n, key, key,
          case when n % 2 = 0 then '${SPREAD}' else 'order ' || n end, n, 'payer', 'recipient',
          1, 1, n
     from (select n, case when n <= ${OF_KEY} then '${KEY}' else 'key ' || n / 5 end as key
             from generate_series(1, ${OF_KEY + NEWER}) n) numbered`,
)
await analyzeAll(database.pool)

const list =
  (filter: EventFilter, page: object = {}) =>
  (reader: Store) =>
    readEventPage(reader, filter, { ...PAGE, ...page }, new Map())
const LISTS: Record<string, (reader: Store) => Promise<unknown>> = {
  'one-time payments': reader => readOneTimePage(reader, SPREAD, PAGE, new Map()),
}
for (const [what, filter] of Object.entries({
  'a tracking ID': { trackingId: SPREAD },
  'a policy': { paymentPolicy: KEY },
  'a gateway': { gateway: KEY },
})) {
  LISTS[`events of ${what}`] = list(filter)
  LISTS[`payments of ${what}`] = list({ ...filter, payments: true })
  LISTS[`events of ${what}, with retracted ones`] = list({ ...filter, retracted: true })
  LISTS[`events of ${what} between times`] = list({ ...filter, ...TIMES })
  LISTS[`events of ${what} behind a cursor`] = list(filter, { after: AFTER })
  LISTS[`PaymentRecords of ${what} behind a cursor and between times`] = list(
    { ...filter, ...TIMES, name: 'PaymentRecord' },
    { after: AFTER },
  )
}

/** Explains the statements of a list where they run. */
async function explain(read: (reader: Store) => Promise<unknown>, mode: string): Promise<Plan[]> {
  const sent: { text: string; values: unknown[] }[] = []
  const note = (statement: unknown) => void sent.push(statement as (typeof sent)[number])
  subscribe(STATEMENTS, note)
  await read(store).finally(() => unsubscribe(STATEMENTS, note))
  const client = await database.pool.connect()
  try {
    await client.query(`set plan_cache_mode = ${mode}`)
    const plans: Plan[] = []
    for (const { text, values } of sent) {
      await client.query(`prepare list as ${text}`)
      const given = values.map(value => `'${String(value).replaceAll("'", "''")}'`).join(', ')
      const { rows } = await client.query<{ 'QUERY PLAN': { Plan: Plan }[] }>(
        `explain (analyze, timing off, format json) execute list(${given})`,
      )
      plans.push(rows[0]!['QUERY PLAN'][0]!.Plan)
      await client.query('deallocate list')
    }
    return plans
  } finally {
    client.release(true)
  }
}

for (const mode of ['force_generic_plan', 'force_custom_plan'])
  t.test(`a page of a key with ${OF_KEY} events reads the page alone (${mode})`, async t => {
    const rowsOf = async (read: (reader: Store) => Promise<unknown>) =>
      (await explain(read, mode)).reduce((sum, plan) => sum + rowsOfPlan(plan), 0)
    for (const [name, read] of Object.entries(LISTS)) {
      const rows = await rowsOf(read)
      t.ok(rows <= 3 * PAGE.limit, `${name}: ${rows} rows`)
    }
    const rows = await rowsOf(reader =>
      listClaimablePayments(reader, { trackingId: SPREAD, recipient: 'nobody' }, 10),
    )
    t.ok(rows <= 1_000, `a proof reads the first payments of its tracking ID alone: ${rows} rows`)
  })

t.test(
  'a check of a key with half of all events reads indexes, and the newest 1,000 for its list',
  async t => {
    const plans: Plan[] = []
    await byIndexes(store as Parameters<typeof byIndexes>[0], async run => {
      const explained: RunStatement = async statement => {
        const [row] = await run<{ 'QUERY PLAN': { Plan: Plan }[] }>(
          sql`explain (analyze, timing off, format json) ${statement}`,
        )
        plans.push(row!['QUERY PLAN'][0]!.Plan)
        return run(statement)
      }
      await checkPaymentsWith(explained, SPREAD, {}, new Map())
    })
    const [counts, newest] = plans as [Plan, Plan]
    t.same(indexesOf(counts).sort(), ['events_tracking_check', 'events_tracking_seq'])
    const rows = rowsOfPlan(newest)
    t.ok(rows <= 1_100, `the list: ${rows} rows`)
  },
)

t.test(
  'a page holds the newest events of its key, in their order, within its times and behind its cursor',
  async t => {
    const slotsOf = async (filter: EventFilter, page: object = {}) => {
      const { text } = await readEventPage(store, filter, { limit: 3, offset: 0, ...page }, new Map())
      return (JSON.parse(`[${text}]`) as { slot: number }[]).map(({ slot }) => slot)
    }
    for (const filter of [{ paymentPolicy: KEY }, { gateway: KEY }]) {
      t.same(await slotsOf(filter), [OF_KEY, OF_KEY - 1, OF_KEY - 2])
      t.same(await slotsOf(filter, { offset: OF_KEY - 2 }), [2, 1])
      t.same(await slotsOf({ ...filter, ...TIMES }), [10_800, 10_799, 10_798], 'the end is inclusive')
      t.same(await slotsOf({ ...filter, ...TIMES }, { offset: 7_199 }), [3_601, 3_600], 'and the beginning')
      t.same(await slotsOf(filter, { after: AFTER }), [7_199, 7_198, 7_197])
      const early = { ...TIMES, endTime: new Date('2026-01-01T01:30:00Z') }
      t.same(await slotsOf({ ...filter, ...early }, { after: AFTER }), [5_400, 5_399, 5_398])
    }
    t.same(await slotsOf({ gateway: 'key 4000' }), [20_004, 20_003, 20_002])
    t.same(await slotsOf({ trackingId: SPREAD }, { after: AFTER }), [7_198, 7_196, 7_194])
    t.same(await slotsOf({ gateway: 'ofte' }), [], 'a key is not a prefix')
  },
)
