// Anybody can make 10,000 policies of a gateway that are due each second or since 1970, each in a token of its own: the gateway
// waits for its due dates, and nobody else does.
import type { Store } from '@payment-tracking/store/core'
import { openTestStore } from '@payment-tracking/testkit'
import t from 'tap'
import { readUpcoming } from '../../src/merchant/read-upcoming.js'

const POLICIES = 10_000
const DAY = 86_400n
const TERMS = `{"Subscription":{"amount":"1000","auto_renew":true,"max_renewals":null,"next_payment_due":"1","padding":[],
  "payment_frequency":%s}}`
const SHARE = 32

/** Counts the turns that others get from the last answer of the database on: waiting for an answer takes none. */
function countTurns(store: Store): { store: Store; stop: () => number } {
  let turns = 0
  let next: NodeJS.Immediate | undefined
  const count = () => {
    turns += 1
    next = setImmediate(count)
  }
  const { database } = store as unknown as { database: { read: (statement: unknown) => Promise<unknown> } }
  const read = async (statement: unknown) => {
    const rows = await database.read(statement)
    clearImmediate(next)
    turns = 0
    next = setImmediate(count)
    return rows
  }
  return {
    store: Object.assign({ ...store }, { database: { ...database, read } }),
    stop: () => {
      clearImmediate(next)
      return turns
    },
  }
}

const { store, database } = await openTestStore(t)
const at = (nowSeconds: number) => ({ clock: { nowSeconds, graceSeconds: 7_200 } })

t.test('the due dates of 10,000 policies are found in turns, and their sums are whole', async t => {
  for (const [gateway, frequency] of [
    ['seconds', '{"Custom":1}'],
    ['months', '{"Monthly":null}'],
  ])
    await database.pool.query(
      `insert into policies (address, live, status, gateway, recipient, user_payment, policy_id, policy_type, created_at,
                             updated_at, next_payment_due, token_mint)
       select $3 || ' ' || n, true, 'active', $3, 'r', 'u' || n, n, replace($2, '%s', $4)::json, n, n, n, 'mint ' || n
         from generate_series(1, $1::bigint) n`,
      [POLICIES, TERMS, gateway, frequency],
    )
  for (const [gateway, to, listed, total] of [
    ['seconds', 10n * DAY, POLICIES * SHARE, POLICIES * 864_000 - (POLICIES * (POLICIES + 1)) / 2],
    ['months', 181n * DAY, POLICIES * 6, POLICIES * 6],
    ['months', 40_000n * DAY, POLICIES * SHARE, POLICIES * 1_201],
  ] as const) {
    const counting = countTurns(store)
    const span = { from: 0n, to, limit: 100, offset: 50 }
    const upcoming = await readUpcoming(counting.store, gateway, span, at(0))
    const turns = counting.stop()
    t.ok(turns >= listed / 2_000, `others got ${turns} turns, one for each 2,000 dates found`)
    t.equal(Number(upcoming.total), total, 'each date is in the sum, however many there are')
    t.equal(upcoming.byToken.length, POLICIES)
    t.equal(upcoming.byDay.length, POLICIES, 'rows by day are as many as an answer holds')
    t.equal(upcoming.complete, false, 'and say so')
    const dates = upcoming.items.map(({ dueAt }) => Number(dueAt))
    t.equal(dates.length, 100)
    const inOrder = dates.toSorted((a, b) => a - b)
    t.same(dates, inOrder)
  }
})
