// Every index of `events` is paid for at each insert, so each must be needed: this list names a query for each index,
// and the plan of that query, with the very statement that the store sends, must use the index.
import {
  listClaimablePayments,
  readEventPage,
  listEventsAfter,
  readOneTimePage,
  openStore,
  readEventPlaces,
  readPaymentsBySeq,
  readPaymentStats,
  readPaymentTrace,
  readRecentRetractions,
  readRetractionsOf,
  readSubscriptions,
  listNeverPaid,
  listSubscribers,
  readVolume,
  type EventFilter,
  type Store,
} from '@payment-tracking/store'
import { analyzeAll, createDatabase, fillEvents } from '@payment-tracking/testkit'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import t from 'tap'
import { runIn } from '../src/database/database.js'
import { writeValue } from '../src/database/pg-codec.js'
import { toStatement, type Tx } from '../src/database/sql.js'
import { readNextPayments } from '../src/ingest/derive-payments.js'
import { readRegisters } from '../src/ingest/read-registers.js'
import { refoldGateways, refoldUserPayments } from '../src/ingest/refold-accounts.js'
import { countChecked } from '../src/reads/check-payments.js'
import type { PipelinedTx } from '../src/database/pipelined-transactions.js'
import { indexesOf, readPages, STATEMENTS, type Plan } from './plans.js'

const EVENTS = 40_000
const PAGE = { limit: 50, offset: 0 }
const NO_POLICY = '1'.repeat(32)
const programId = 'any program'

interface Statement {
  text: string
  values: unknown[]
}

const database = await createDatabase(t)
const store = openStore({ DATABASE_URL: database.url })
t.teardown(() => store.close())
const filled = await fillEvents(database.pool, EVENTS)
const [gateway, policy, trackingId] = [filled.gateways[3]!, filled.policies[7]!, filled.trackingIds[7]!]
const middle = EVENTS / 2

// What the filled events lack: payments without a policy, retracted payments, and payments with a time of another day.
await database.pool.query(
  `insert into events (id, position, slot, signature, event_index, name, data, commitment, occurred_at, fingerprint,
                       stream_sequence, gateway, payment_policy, payer, recipient, amount, paid_at, record_id)
   select gen_random_uuid(), 1000000 + n, n, 's' || n, n, 'PaymentRecord', '{}', 'confirmed', '2026-01-01',
          gen_random_uuid(), n, $1, '${NO_POLICY}', 'payer ' || n % 1000, 'recipient ' || n % 1000, 1,
          extract(epoch from '2026-01-01'::timestamptz), 0
     from generate_series(1, 5000) n`,
  [gateway],
)
await database.pool.query(
  'update events set paid_at = paid_at - 200000 where position % 2000 = 1 and amount is not null',
)
await database.pool.query(
  "update events set retracted_at = now() - position * interval '1 minute' where position % 20 = 3 and seq is not null",
)
await analyzeAll(database.pool)
const [{ tracking_id: retractedId }] = (
  await database.pool.query<{ tracking_id: string }>(
    'select tracking_id from events where retracted_at is not null limit 1',
  )
).rows as [{ tracking_id: string }]

type Query = (store: Store, tx: PipelinedTx) => Promise<unknown>
const list =
  (filter: EventFilter): Query =>
  reader =>
    readEventPage(reader, filter, PAGE, new Map())

/** For each index the queries that need it. */
const QUERIES: Record<string, Record<string, Query>> = {
  events_pkey: {
    readEventPlaces: reader => readEventPlaces(reader, ['00000000-0000-4000-8000-000000000000']),
  },
  events_position_key: {
    listEventsAfter: reader =>
      listEventsAfter(reader, { after: 1_000n, upTo: 1_200n, limit: 200 }, new Map()),
  },
  events_newest: {
    'readEventPage without a filter': list({}),
    'readPaymentStats at an edge': reader =>
      readPaymentStats(reader, { startTime: new Date(filled.timeOf(middle).getTime() + 1) }),
  },
  events_gateway_newest: {
    'readEventPage by gateway': list({ gateway }),
    'payments of a gateway': list({ gateway, payments: true }),
    'readVolume at an edge': reader =>
      readVolume(reader, gateway, {
        from: filled.timeOf(middle).getTime() / 1000,
        to: filled.timeOf(middle + 360).getTime() / 1000,
        size: 'day',
      }),
  },
  events_policy_newest: { 'readEventPage by policy': list({ paymentPolicy: policy }) },
  events_tracking_newest: {
    'readEventPage by tracking ID': list({ trackingId }),
    readOneTimePage: reader => readOneTimePage(reader, trackingId, PAGE, new Map()),
    'listClaimablePayments by tracking ID': reader => listClaimablePayments(reader, { trackingId }, 10),
  },
  events_slot: {
    'readEventPage by slot': list({ slot: filled.slotOf(middle) }),
    'readEventPage by slot bounds': list({ maxSlot: filled.slotOf(middle) }),
  },
  events_signature_hash: {
    'readEventPage by signature': list({ signature: filled.signatureOf(middle) }),
    readPaymentTrace: reader => readPaymentTrace(reader, filled.signatureOf(middle)),
    'listClaimablePayments by signature': reader =>
      listClaimablePayments(reader, { signature: filled.signatureOf(middle) }, 10),
  },
  events_name_rare: { 'readEventPage by name': list({ name: 'PaymentGatewayCreated' }) },
  events_gateway_rare: {
    'readEventPage by gateway and name': list({ gateway, name: 'PaymentPolicyStatusChanged' }),
    readSubscriptions: reader => readPages(readSubscriptions(reader, gateway)),
  },
  events_policy_rare: {
    'readEventPage by policy and name': list({ paymentPolicy: policy, name: 'PaymentPolicyCreated' }),
  },
  events_tracking_rare: {
    'readEventPage by tracking ID and name': list({ trackingId, name: 'PaymentPolicyCreated' }),
  },
  events_recipient_rare: {
    'readEventPage by recipient': list({ name: 'PaymentPolicyCreated', recipient: filled.recipients[2] }),
  },
  events_user_payment_rare: {
    'readEventPage by user payment': list({
      name: 'UserPaymentCreated',
      userPayment: filled.userPayments[2],
    }),
  },
  events_authority_rare: {
    'readEventPage by authority': list({ name: 'PaymentGatewayCreated', authority: filled.authorities[19] }),
  },
  events_tracking_seq: {
    readPaymentsBySeq: reader => readPaymentsBySeq(reader, [{ trackingId, from: 1, to: 5 }]),
  },
  events_tracking_recipient: {
    'listClaimablePayments by tracking ID and recipient': reader =>
      listClaimablePayments(reader, { trackingId, recipient: filled.recipients[2] }, 10),
  },
  events_tracking_check: {
    countChecked: (_reader, tx) => countChecked(runIn(tx), trackingId, { amount: '1' }),
  },
  events_changes: {
    readRegisters: (_reader, tx) => readRegisters(tx, [policy], programId),
    refoldGateways: (_reader, tx) => refoldGateways(tx, [gateway], programId),
    refoldUserPayments: (_reader, tx) => refoldUserPayments(tx, [filled.userPayments[2]!], programId),
  },
  events_policy_payments: {
    readRegisters: (_reader, tx) => readRegisters(tx, [policy], programId),
    readNextPayments: (_reader, tx) =>
      readNextPayments(tx, [{ policy, after: '' }], { limit: 500, programId }),
  },
  events_retracted_at: { readRecentRetractions: reader => readRecentRetractions(reader, 1_000).next() },
  events_retracted_tracking: { readRetractionsOf: reader => readRetractionsOf(reader, [retractedId]) },
  events_payer_direct: { 'readEventPage by direct payer': list({ payments: true, directPayer: 'payer 7' }) },
  events_recipient_direct: {
    'readEventPage by direct recipient': list({ payments: true, directRecipient: 'recipient 7' }),
  },
  events_gateway_payers: {
    listSubscribers: reader => listSubscribers(reader, gateway, PAGE),
    listNeverPaid: reader => listNeverPaid(reader, gateway, PAGE),
  },
  events_paid_other_day: {
    readVolume: reader =>
      readVolume(reader, gateway, { from: 1_767_225_600, to: 1_767_571_200, size: 'day' }),
  },
}

/** The statements about events that a query sends. Those of ingest find nothing, and what they write is not written. */
async function sentBy(query: Query): Promise<Statement[]> {
  const sent: Statement[] = []
  const note = (statement: unknown) => void sent.push(statement as Statement)
  const take = (...[query, ...values]: Parameters<Tx['$queryRaw']>) => {
    const statement = toStatement(query, values)
    note({ text: statement.text, values: statement.values.map(writeValue) })
  }
  const tx: PipelinedTx = {
    $queryRaw: <Rows>(...query: Parameters<Tx['$queryRaw']>) => (take(...query), Promise.resolve([] as Rows)),
    $executeRaw: (...query) => (take(...query), Promise.resolve(0)),
    send: statement => take(statement),
  }
  subscribe(STATEMENTS, note)
  await query(store, tx).finally(() => unsubscribe(STATEMENTS, note))
  return sent.filter(({ text }) => /events\b/.test(text))
}

/** The indexes in the plans of statements; `without` is dropped for the time of the question. */
async function indexesUsed(statements: readonly Statement[], without?: string): Promise<Set<string>> {
  const client = await database.pool.connect()
  try {
    await client.query('begin')
    if (without !== undefined) await client.query(`drop index ${without}`)
    const used = new Set<string>()
    for (const { text, values } of statements) {
      const { rows } = await client.query<{ 'QUERY PLAN': { Plan: Plan }[] }>(
        `explain (format json) ${text}`,
        values,
      )
      for (const name of indexesOf(rows[0]!['QUERY PLAN'][0]!.Plan)) used.add(name)
    }
    return used
  } finally {
    await client.query('rollback')
    client.release()
  }
}

t.test('every index of events is named by a query that needs it', async t => {
  const { rows } = await database.pool.query<{ name: string }>(
    `select indexrelid::regclass::text as name from pg_index where indrelid = 'live_events'::regclass`,
  )
  t.strictSame(rows.map(({ name }) => name).sort(), Object.keys(QUERIES).sort())
})

for (const [index, queries] of Object.entries(QUERIES)) {
  t.test(`the queries of ${index} use it`, async t => {
    for (const [name, query] of Object.entries(queries)) {
      const used = await indexesUsed(await sentBy(query))
      t.ok(used.has(index), `${name} uses ${[...used].join(', ') || 'no index'}`)
    }
  })
}

t.test('a query whose index is gone is found', async t => {
  const statements = await sentBy(list({ maxSlot: filled.slotOf(middle) }))
  t.notOk((await indexesUsed(statements, 'events_slot')).has('events_slot'))
})
