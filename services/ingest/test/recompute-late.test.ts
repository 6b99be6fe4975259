// Completions that are found while work on a policy waits, or is under way: the test writes the work down. That details of payments are
// those that are known is for replay-recompute of test/models, and a law.
import { openTestStore, type TestDatabase } from '@payment-tracking/testkit'
import t from 'tap'
import {
  created,
  drain,
  ingest,
  pay,
  policyOf,
  say,
  signatureOf,
  userPayment,
  type Message,
} from './recompute-history.js'

/** Behind every order of the chain. */
const AFTER_ALL = `7${'f'.repeat(63)}`
const ONE_TIME = { OneTime: { amount: '5000', due_date: '0', expiry_date: null } }

/** What is stored was announced when it came. */
const addWork = ({ pool }: TestDatabase, cursor: string) =>
  pool.query(
    `insert into work (kind, key, cursor, state) select 'policy', $1, $2, jsonb_build_object('since', position::text, 'isNotified', true)
       from stream_head`,
    [policyOf(1), cursor],
  )

/** As a rebuild does: what it finds is not announced. */
const addQuietWork = ({ pool }: TestDatabase) =>
  pool.query(
    `insert into work (kind, key, state) select 'policy', $1, jsonb_build_object('since', position::text) from stream_head`,
    [policyOf(1)],
  )
const paused = say('PaymentPolicyStatusChanged', 20, {
  payment_policy: policyOf(1),
  old_status: { Active: {} },
  new_status: { Paused: {} },
})
const retracted = (name: string, slot: number): Message => ({
  subject: 'chain.events.control.retracted',
  bytes: Buffer.from(JSON.stringify({ signature: signatureOf(`${name} ${slot}`), slot })),
})

t.test('a completion that a page of work found without a new event was not announced', async t => {
  const { store, database } = await openTestStore(t)
  await ingest(store, [userPayment, created(1, 2, ONE_TIME)])
  await ingest(store, [created(1, 5_000, ONE_TIME)])
  await ingest(store, [pay(10)])
  await addWork(database, AFTER_ALL)
  await ingest(store, [retracted('PaymentPolicyCreated', 5_000)])
  const pages = await drain(store)
  const shown = pages.flatMap(({ lifecycles }) => lifecycles.map(({ type }) => type))
  t.strictSame(shown, ['subscription.completed'])
})

t.test('a completion is announced beside a rebuild, unless the rebuild itself finds it', async t => {
  const completed = [userPayment, created(1, 2, ONE_TIME), pay(10)]
  for (const [messages, sent] of [
    [[retracted('PaymentPolicyStatusChanged', 20)], ['subscription.completed']],
    [[], []],
  ] as const) {
    const { store, database } = await openTestStore(t)
    await ingest(store, [...completed, paused])
    await database.pool.query(`update policies set status = 'earlier'`)
    await addQuietWork(database)
    await ingest(store, messages)
    const pages = await drain(store)
    const told = pages.flatMap(({ lifecycles }) => lifecycles.map(({ type }) => type))
    t.same(told, sent)
  }
})
