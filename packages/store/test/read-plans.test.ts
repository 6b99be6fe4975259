// Lists and figures read about as many rows as they answer, however many events there are: asserted on what
// Postgres says it read, with the very statements that are run.
import {
  countEvents,
  listEventNames,
  listEventsAfter,
  readEventPage,
  readOneTimePage,
  listPoliciesWithDueDates,
  listSubscriptions,
  readPaymentStats,
  readSubscriptions,
  readVolume,
  openStore,
  readPaymentTrace,
  type EventFilter,
  type Store,
} from '@payment-tracking/store'
import { createDatabase, fillEvents } from '@payment-tracking/testkit'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import t from 'tap'
import { readPages, rowsOfPlan, STATEMENTS, type Plan } from './plans.js'

const EVENTS = 60_000
const PAGE = 50
/** Of one of 40 gateways: an event every ten seconds. */
const EVENTS_OF_A_DAY = 8_640 / 40

const database = await createDatabase(t)
const store = openStore({ DATABASE_URL: database.url })
t.teardown(() => store.close())
const filled = await fillEvents(database.pool, EVENTS)
const SMALL_TABLES = filled.policies.length + filled.userPayments.length
const middle = EVENTS / 2
const hour = { startTime: filled.timeOf(middle), endTime: filled.timeOf(middle + 360) }

/** Runs a read, then explains each statement that the store sent for it, with the values it sent. */
async function readBy(read: (store: Store) => Promise<unknown>): Promise<{ rows: number; plans: Plan[] }> {
  const sent: { text: string; values: unknown[] }[] = []
  const note = (statement: unknown) => void sent.push(statement as (typeof sent)[number])
  subscribe(STATEMENTS, note)
  await read(store).finally(() => unsubscribe(STATEMENTS, note))
  const plans: Plan[] = []
  for (const { text, values } of sent) {
    const { rows } = await database.pool.query<{ 'QUERY PLAN': { Plan: Plan }[] }>(
      `explain (analyze, timing off, format json) ${text}`,
      values,
    )
    plans.push(rows[0]!['QUERY PLAN'][0]!.Plan)
  }
  return { rows: plans.reduce((total, plan) => total + rowsOfPlan(plan), 0), plans }
}

const FILTERS: Record<string, EventFilter> = {
  nothing: {},
  signature: { signature: filled.signatureOf(middle) },
  slot: { slot: filled.slotOf(middle) },
  'the name of nearly all': { name: 'PaymentRecord' },
  'a rare name': { name: 'PaymentGatewayCreated' },
  'no such name': { name: 'Nothing' },
  'tracking ID': { trackingId: filled.trackingIds[7] },
  gateway: { gateway: filled.gateways[3] },
  policy: { paymentPolicy: filled.policies[7] },
  time: hour,
  'old times': { endTime: filled.timeOf(100) },
  'slot bounds': { minSlot: filled.slotOf(100), maxSlot: filled.slotOf(1_000) },
  'a highest slot': { maxSlot: filled.slotOf(500) },
  'a lowest slot': { minSlot: filled.slotOf(500) },
  'tracking ID and name': { trackingId: filled.trackingIds[7], name: 'PaymentRecord' },
  'tracking ID and rare name': { trackingId: filled.trackingIds[7], name: 'PaymentPolicyCreated' },
  'gateway and time': { gateway: filled.gateways[3], ...hour },
  'gateway and name': { gateway: filled.gateways[3], name: 'PaymentRecord' },
  'gateway and rare name': { gateway: filled.gateways[3], name: 'PaymentPolicyStatusChanged' },
  'gateway and a name it has none of': { gateway: filled.gateways[3], name: 'GatewaySignerChanged' },
  'policy and time': { paymentPolicy: filled.policies[7], ...hour },
  'policy and rare name': { paymentPolicy: filled.policies[7], name: 'PaymentPolicyStatusChanged' },
  'name and time': { name: 'PaymentPolicyCreated', ...hour },
  'recipient of created policies': { name: 'PaymentPolicyCreated', recipient: filled.recipients[2] },
  'user payment of created policies': { name: 'PaymentPolicyCreated', userPayment: filled.userPayments[2] },
  'authority of created gateways': { name: 'PaymentGatewayCreated', authority: filled.authorities[19] },
}

const TOKENS = new Map()
/** Rows that the nodes of a plan pass on for each payment of a page: its policy, its user payment and its incarnation. */
const PROBES = 18

for (const [name, filter] of Object.entries(FILTERS)) {
  t.test(`events by ${name}`, async t => {
    // Rows that are sorted within one slot or moment, or dropped on the way, are few.
    const bound = 2 * PAGE + 20 + PROBES * PAGE
    const first = await readBy(store => readEventPage(store, filter, { limit: PAGE, offset: 0 }, TOKENS))
    t.ok(first.rows <= bound, `the first page reads ${first.rows} rows`)
    const { last: after } = await readEventPage(store, filter, { limit: 1, offset: PAGE / 2 }, TOKENS)
    if (!after) return
    const next = await readBy(store =>
      readEventPage(store, filter, { limit: PAGE, offset: 0, after }, TOKENS),
    )
    t.ok(next.rows <= bound, `a page after a cursor reads ${next.rows} rows`)
    if (first.rows <= bound && next.rows <= bound) return
    t.comment(JSON.stringify([...first.plans, ...next.plans], null, 1))
  })
}

t.test('a deep page after a cursor reads no more than the first page', async t => {
  const after = {
    occurredAt: filled.timeOf(100),
    slot: filled.slotOf(100),
    index: 0,
    id: '00000000-0000-4000-8000-000000000000',
  }
  const { rows } = await readBy(store => readEventPage(store, {}, { limit: PAGE, offset: 0, after }, TOKENS))
  t.ok(rows <= (1.5 + PROBES) * PAGE, `${rows} rows`)
})

t.test('counts and statistics read stored sums, and the events of less than two hours', async t => {
  const gateway = filled.gateways[3]!
  const bounds = { startTime: new Date(filled.timeOf(3_000).getTime() + 1), endTime: filled.timeOf(50_000) }
  const EDGES = 720
  for (const [name, bound, read] of [
    ['names', 30, store => listEventNames(store)],
    ['all', 30, store => countEvents(store, {})],
    ['of a name', 5, store => countEvents(store, { name: 'PaymentRecord' })],
    ['between two moments', EDGES + 300, store => countEvents(store, bounds)],
    [
      'of a name between two moments',
      EDGES + 100,
      store => countEvents(store, { name: 'PaymentRecord', ...bounds }),
    ],
    ['since a moment', EDGES + 300, store => countEvents(store, { startTime: bounds.startTime })],
    ['statistics', 60, store => readPaymentStats(store, {})],
    ['statistics of a gateway', 60, store => readPaymentStats(store, { gateway })],
    // Tables as small as these of policies and user payments are read whole, once for each edge.
    [
      'statistics between two moments',
      5 * EDGES + 2 * SMALL_TABLES,
      store => readPaymentStats(store, bounds),
    ],
    [
      'statistics of a gateway between two moments',
      2_500,
      store => readPaymentStats(store, { gateway, ...bounds }),
    ],
  ] as [string, number, (store: Store) => Promise<unknown>][]) {
    const { rows, plans } = await readBy(read)
    t.ok(rows <= bound, `${name} reads ${rows} rows`)
    if (rows > bound) t.comment(JSON.stringify(plans, null, 1))
  }
})

t.test('lookups read only the rows of their answer', async t => {
  for (const [name, bound, read] of [
    [
      'payments of a tracking ID',
      60 + PROBES * 20 + SMALL_TABLES,
      store => readOneTimePage(store, filled.trackingIds[7]!, { limit: 20, offset: 0 }, TOKENS),
    ],
    ['a trace', 5, store => readPaymentTrace(store, filled.signatureOf(middle))],
    [
      'the stream',
      210 + PROBES * 200,
      store => listEventsAfter(store, { after: 1_000n, upTo: 1_200n, limit: 200 }, TOKENS),
    ],
    [
      'subscriptions of a gateway',
      101 + SMALL_TABLES,
      store => listSubscriptions(store, { gateway: filled.gateways[1] }, { limit: 50 }),
    ],
    [
      'subscriptions of a recipient',
      101 + SMALL_TABLES,
      store => listSubscriptions(store, { recipient: filled.recipients[1] }, { limit: 50 }),
    ],
    [
      'a subscription',
      5 + SMALL_TABLES,
      store => listSubscriptions(store, { trackingId: filled.trackingIds[1] }, { limit: 50 }),
    ],
    [
      'subscriptions of a user payment',
      10 + SMALL_TABLES,
      store => listSubscriptions(store, { userPayment: filled.userPayments[1] }, { limit: 50 }),
    ],
  ] as [string, number, (store: Store) => Promise<unknown>][]) {
    const { rows, plans } = await readBy(read)
    t.ok(rows <= bound, `${name} reads ${rows} rows`)
    if (rows > bound) t.comment(JSON.stringify(plans, null, 1))
  }
})

t.test('figures of a gateway read its policies, what created them, and two days of payments', async t => {
  const gateway = filled.gateways[3]!
  const { rows: named } = await database.pool.query<{ created: number }>(
    `select count(*)::int as created from events where gateway = $1 and name = 'PaymentPolicyCreated'`,
    [gateway],
  )
  const created = named[0]!.created
  const own = Math.ceil(filled.policies.length / filled.gateways.length)
  const span = { from: filled.timeOf(10_000).getTime() / 1000, to: filled.timeOf(50_000).getTime() / 1000 }
  for (const [name, bound, read] of [
    // Of other gateways' policies those that this gateway created once; and user payments, a small table, whole.
    [
      'subscriptions',
      2 * own + 3 * created + SMALL_TABLES,
      store => readPages(readSubscriptions(store, gateway)),
    ],
    // That there are no more policies is found by reading them once more.
    ['due dates', 3 * own + SMALL_TABLES, store => listPoliciesWithDueDates(store, gateway)],
    [
      'volume',
      3 * 2 * EVENTS_OF_A_DAY + 100 + 2 * SMALL_TABLES,
      store => readVolume(store, gateway, { ...span, size: 'day' }),
    ],
  ] as [string, number, (store: Store) => Promise<unknown>][]) {
    const { rows, plans } = await readBy(read)
    t.ok(rows <= bound, `${name} read ${rows} rows, at most ${bound}`)
    if (rows > bound) t.comment(JSON.stringify(plans, null, 1))
  }
})

t.test('payments without a policy are found by their keys alone', async t => {
  await database.pool.query(
    `insert into events (id, position, slot, signature, event_index, name, data, commitment, occurred_at, fingerprint,
                         stream_sequence, payment_policy, payer, recipient, amount)
     select gen_random_uuid(), 1000000 + n, n, 's', n, 'PaymentRecord', '{}', 'confirmed', now(), gen_random_uuid(), n,
            '11111111111111111111111111111111', 'payer ' || n % 1000, 'recipient ' || n % 1000, 1
       from generate_series(1, 10000) n`,
  )
  await database.pool.query('analyze live_events')
  for (const filter of [{ directPayer: 'payer 7' }, { directRecipient: 'recipient 7' }]) {
    const page = { limit: PAGE, offset: 0 }
    t.equal((await readEventPage(store, { payments: true, ...filter }, page, TOKENS)).count, 10)
    const { rows, plans } = await readBy(read =>
      readEventPage(read, { payments: true, ...filter }, page, TOKENS),
    )
    t.ok(rows <= 10 * PROBES, `${JSON.stringify(filter)} reads ${rows} rows`)
    if (rows > 10 * PROBES) t.comment(JSON.stringify(plans, null, 1))
  }
})
