// What is at risk of a gateway's due payments costs some rows for each policy, whatever Postgres knows of its tables: no plan
// compares policies with each other.
import { DEFAULT_PROGRAM_ID } from '@payment-tracking/contracts'
import { analyzeAll } from '@payment-tracking/testkit'
import t from 'tap'
import { sumAtRisk } from '../../src/reads/merchant/sum-at-risk.js'
import { explain, sentBy, type Plan } from './explain.js'
import { openTestStore } from '../open-test-store.js'

const NOW = Math.floor(Date.now() / 1_000)
const TERMS = `{"Subscription":{"amount":"5","auto_renew":true,"max_renewals":null,"next_payment_due":"1","padding":[],
  "payment_frequency":{"Monthly":null}}}`

/** The rows that all parts of a plan passed on or dropped, those that a join compared in vain included. */
function rowsPassed(plan: Plan & { 'Rows Removed by Join Filter'?: number }): number {
  const dropped = (plan['Rows Removed by Filter'] ?? 0) + (plan['Rows Removed by Join Filter'] ?? 0)
  const inner = (plan.Plans ?? []).reduce((total, child) => total + rowsPassed(child), 0)
  return inner + (plan['Actual Rows'] + dropped) * plan['Actual Loops']
}

const { store, pool } = await openTestStore(t)

/** Policies with an account each, half of them with too little. */
async function fill(gateway: string, policies: number): Promise<void> {
  const name = [gateway, policies]
  await pool.query(
    `insert into user_payments (address, owner, token_mint, token_account)
     select $1 || ' u' || n, $1 || ' w' || n, 'usdc', $1 || ' a' || n from generate_series(1, $2::int) n`,
    name,
  )
  await pool.query(
    `insert into token_accounts (address, slot, checked_at, is_there, owner, mint, balance, frozen, nodes)
     select $1 || ' a' || n, 1, now(), true, $1 || ' w' || n, 'usdc', n % 2 * 9, false, 1 from generate_series(1, $2::int) n`,
    name,
  )
  await pool.query(
    `insert into policies (address, live, status, gateway, recipient, user_payment, policy_id, policy_type, created_at, updated_at,
                           next_payment_due, due_at)
     select $1 || ' ' || n, true, 'active', $1, $1 || ' r' || n, $1 || ' u' || n, n, $3::json, n, 0, $4, $4
       from generate_series(1, $2::int) n`,
    [...name, TERMS, NOW + 3_600],
  )
}

async function costOf(gateway: string): Promise<number> {
  const page = { from: BigInt(NOW), to: BigInt(NOW + 86_400), limit: 10, offset: 0 }
  const options = { programId: DEFAULT_PROGRAM_ID, clock: { nowSeconds: NOW, graceSeconds: 0 } }
  const sent = await sentBy(store, reader => sumAtRisk(reader, gateway, page, options))
  t.equal(sent.length, 1, 'one statement')
  const plans = await explain(pool, sent)
  return rowsPassed(plans[0]!)
}

t.test('the rows grow as the policies do', async t => {
  await fill('few', 500)
  await fill('many', 5_000)
  for (const when of ['without statistics', 'with statistics']) {
    if (when === 'with statistics') await analyzeAll(pool)
    const [few, many] = [await costOf('few'), await costOf('many')]
    t.ok(many <= 150 * 5_000, `${when}: ${many} rows for 5,000 policies`)
    t.ok(many <= 12 * few, `${when}: ${few} rows for 500 policies, ${many} for 5,000`)
  }
})
