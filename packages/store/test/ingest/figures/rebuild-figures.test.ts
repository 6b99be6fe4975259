// A rebuild counts every figure again, without the writer lock while it reads: what is stored meanwhile counts once.
import { DEFAULT_PROGRAM_ID } from '@payment-tracking/contracts'
import {
  buildAddress,
  buildBatch,
  buildChain,
  fillPayments,
  type ChainMessage,
} from '@payment-tracking/testkit'
import t from 'tap'
import { commitBatch } from '../../../src/ingest/batch/commit-batch.js'
import { rebuildProjections } from '../../../src/ingest/batch/begin-rebuild.js'
import { type Store } from '../../../src/core/database/open-store.js'
import { openTestStore } from '../../open-test-store.js'

const programId = DEFAULT_PROGRAM_ID
const TIME = Date.parse('2026-03-01T12:00:00.000Z')
t.setTimeout(300_000)
const { store, pool } = await openTestStore(t)

const commitTo = (target: Store, ...messages: ChainMessage[]) => commitBatch(target, buildBatch(messages))
const commit = (...messages: ChainMessage[]) => commitTo(store, ...messages)

let now = TIME
const chain = buildChain({ seed: 'rebuild', firstSlot: 1_000_000, now: () => now })
const [large, small] = [await chain.openGateway(), await chain.openGateway()]
const userPayment = await chain.openUserPayment()
const [busy, quiet] = [
  await chain.openPolicy(large, userPayment, { trackingId: 'busy' }),
  await chain.openPolicy(small, userPayment, { trackingId: 'quiet' }),
]
await commit(...[large, small, userPayment, busy, quiet].map(({ created }) => created), chain.pay(busy))
await fillPayments(pool, { policy: busy.address, count: 2_000, stepMs: 100 })
for (let hour = 0; hour < 5; hour++) {
  now = TIME + hour * 3_600_000 * 13
  await commit(chain.pay(quiet), chain.pay(quiet))
}

const TABLES = ['payment_stats', 'payment_token_stats', 'event_counts']
async function figures(of = pool): Promise<Record<string, string[]>> {
  const found: Record<string, string[]> = {}
  for (const table of TABLES) {
    const { rows } = await of.query<{ row: string }>(`select t::text as row from ${table} t order by 1`)
    found[table] = rows.map(({ row }) => row)
  }
  return found
}

/** Wrong rows of every kind and span, and rows that are missing or should not be there. */
const WRONG = [
  'update payment_stats set count = count + 7 where span = 3600',
  'update payment_token_stats set total = total - 1 where span = 3600',
  'update payment_token_stats set min = min - 1 where span <> 0',
  'update payment_token_stats set min = null, max = null where span <> 0',
  'delete from payment_stats where span = 86400',
  'delete from payment_token_stats where span = 0',
  'delete from payment_token_stats where span = 3600',
  'update payment_token_stats set total = total * 2, max = 1 where span = 0',
  `insert into payment_token_stats (gateway, span, start, token_mint, count, total, min, max)
   select gateway, span, start, 'stale', 1, 1, 1, 1 from payment_stats`,
  'update event_counts set count = count + 1 where span = 3600',
  'delete from event_counts where span = 86400',
  'update event_counts set count = 0 where span = 0',
  `delete from event_counts where span = 3600 and name = 'PaymentRecord'`,
  `insert into event_counts (name, span, start, count) select 'PaymentRecord', 86400, '2020-01-01', 5`,
]

/** The largest page, and one that holds no hour of the large gateway. */
const SIZERS = Object.fromEntries([500, 40].map(rows => [rows, { rowsOf: () => rows, note: () => {} }]))
for (const [rows, sizer] of Object.entries(SIZERS))
  t.test(`a rebuild rights whatever is wrong, ${rows} rows at once`, async t => {
    const right = await figures()
    t.ok(Object.values(right).every(({ length }) => length > 5))
    for (const wrong of WRONG) await pool.query(wrong)
    await rebuildProjections(store, { programId, sizer })
    t.strictSame(await figures(), right)
  })

t.test('a rebuild ends where an hour has more wrong tokens than a page has rows', async t => {
  const { store: ofOther, database: other } = await openTestStore(t)
  await commitTo(ofOther, large.created)
  for (const mint of ['first', 'second', 'third']) {
    const payer = await chain.openUserPayment(buildAddress(mint))
    const policy = await chain.openPolicy(large, payer, { trackingId: mint })
    await commitTo(ofOther, payer.created, policy.created, chain.pay(policy), chain.pay(policy))
  }
  const right = await figures(other.pool)
  for (const wrong of WRONG) await other.pool.query(wrong)
  await rebuildProjections(ofOther, { programId, sizer: { rowsOf: () => 2, note: () => {} } })
  t.strictSame(await figures(other.pool), right)
})

/** Of each span, as the laws found them. */
const WRONG_NAMES = [0, 86_400, 3_600].flatMap(span => [
  `delete from event_counts where span = ${span}`,
  `update event_counts set count = count + 1 where span = ${span}`,
])

t.test('a rebuild rights counts of events where nobody has paid', async t => {
  const { store: ofEmpty, database: empty } = await openTestStore(t)
  await commitTo(ofEmpty, large.created)
  const counts = async () =>
    (await empty.pool.query('select name, span, start, count from event_counts order by 1, 2')).rows
  const right = await counts()
  t.equal(right.length, 3)
  for (const wrong of WRONG_NAMES) {
    await empty.pool.query(wrong)
    await rebuildProjections(ofEmpty, { programId })
    t.strictSame(await counts(), right, wrong)
  }
})

/** Calls `between` each time that a rebuild has read figures, before it takes the writer lock. */
const interrupted = (between: () => Promise<void>): Store => ({
  ...store,
  database: {
    ...store.database,
    transaction: async (work, limits) => {
      const result = await store.database.transaction(work, limits)
      await between()
      return result
    },
  },
})

t.test('a payment that is stored between the check and the correction counts once', async t => {
  await pool.query('update payment_stats set count = count + 7 where span = 3600')
  await pool.query('update payment_token_stats set total = total - 5 where span = 3600')
  await pool.query('update event_counts set count = count + 1 where span = 3600')
  let paid = 0
  const pay = async () => {
    now = TIME + 100_000
    if (paid < 40) await commit(chain.pay(busy), chain.pay(quiet))
    paid += 1
  }
  await rebuildProjections(interrupted(pay), { programId, sizer: SIZERS[40]! })
  t.ok(paid > 2, `${paid} times`)
  const found = await figures()
  await rebuildProjections(store, { programId })
  t.strictSame(await figures(), found, 'another rebuild finds nothing wrong')
  const { rows } = await pool.query(
    `select count(*)::int as wrong from payment_token_stats s where span = 0 and gateway <> '' and
       (count, total) is distinct from (select (count(*), sum(amount)) from events e
         where e.gateway = s.gateway and e.token_mint = s.token_mint and amount is not null)`,
  )
  t.same(rows, [{ wrong: 0 }])
})
