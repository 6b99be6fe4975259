// What becomes known while work on a policy waits, or is under way. Few rows: the work is written down by the test.
import { refoldPage, type Store } from '@payment-tracking/store'
import type { TestDatabase } from '@payment-tracking/testkit'
import t from 'tap'
import { PROGRAM } from './ingest-messages.js'
import { openTestStore } from './open-test-store.js'
import {
  created,
  drain,
  ingest,
  MINT,
  OWNER,
  pay,
  PERIODS,
  policyOf,
  signatureOf,
  userPayment,
  type Message,
} from './refold-history.js'

const PAID = [pay(10), pay(13), pay(16)]
/** Behind every order of the chain. */
const BEHIND_ALL = `7${'f'.repeat(63)}`
const ONE_TIME = { OneTime: { amount: '5000', due_date: '0', expiry_date: null } }

/** What is stored was told when it came. */
const addWork = ({ pool }: TestDatabase, cursor: string) =>
  pool.query(
    `insert into work (kind, key, cursor, state) select 'policy', $1, $2, jsonb_build_object('since', position::text, 'isTold', true)
       from stream_head`,
    [policyOf(1), cursor],
  )

const readFacts = async ({ pool }: TestDatabase) => {
  const { rows } = await pool.query<{ payer: string | null; token_mint: string | null }>(
    'select payer, token_mint from events where amount is not null order by slot',
  )
  return rows
}

const pageOfTwo = (store: Store) =>
  refoldPage(store, { programId: PROGRAM.programId, sizer: { rowsOf: () => 2, note: () => {} } })

const KNOWN = PAID.map(() => ({ payer: OWNER, token_mint: MINT }))

t.test('payments before the place where work waits kept no payer and mint', async t => {
  const { store, database } = await openTestStore(t)
  await ingest(store, [userPayment, ...PAID])
  await addWork(database, BEHIND_ALL)
  await ingest(store, [created(1, 2_000, PERIODS)])
  await drain(store)
  t.strictSame(await readFacts(database), KNOWN)
})

t.test('payments of the pages before a user payment became known kept no payer and mint', async t => {
  const { store, database } = await openTestStore(t)
  await ingest(store, PAID)
  await addWork(database, '')
  await ingest(store, [created(1, 2_000, PERIODS)])
  await pageOfTwo(store)
  await ingest(store, [userPayment])
  await drain(store)
  t.strictSame(await readFacts(database), KNOWN)
})

t.test('a completion that a page of work found without a new event was not told', async t => {
  const { store, database } = await openTestStore(t)
  await ingest(store, [userPayment, created(1, 2, ONE_TIME)])
  await ingest(store, [created(1, 5_000, ONE_TIME)])
  await ingest(store, [pay(10)])
  await addWork(database, BEHIND_ALL)
  const second: Message = {
    subject: 'chain.events.control.retracted',
    bytes: Buffer.from(JSON.stringify({ signature: signatureOf('PaymentPolicyCreated 5000'), slot: 5_000 })),
  }
  await ingest(store, [second])
  const pages = await drain(store)
  t.strictSame(
    pages.flatMap(({ lifecycles }) => lifecycles.map(({ type }) => type)),
    ['subscription.completed'],
  )
})
