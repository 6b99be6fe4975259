// A rebuild counts every figure again, without the writer lock while it reads: what is stored meanwhile counts once. That it rights
// whatever is wrong, in pages of any size, is a law of ../../laws.
import { DEFAULT_PROGRAM_ID } from '@payment-tracking/contracts'
import { buildBatch, buildChain, fillPayments, type ChainMessage } from '@payment-tracking/testkit'
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
  await rebuildProjections(interrupted(pay), { programId, sizer: { rowsOf: () => 40, note: () => {} } })
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
