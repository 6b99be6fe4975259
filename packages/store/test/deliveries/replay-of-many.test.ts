// Anybody can give a subscription any number of payments and status changes: when it was active is found in pages.
import { DEFAULT_PROGRAM_ID } from '@payment-tracking/contracts'
import t from 'tap'
import { replaySubscriptions } from '../../src/reads/merchant/replay-subscriptions.js'
import { addEvents } from '@payment-tracking/testkit'
import { countRows } from '../count-rows.js'
import { openTestStore } from '../open-test-store.js'

const RENEWALS = 3_500
const MOST_ROWS = 2_000
const KEY = '7Q7NXQCMgTsCWGn4uee4EExWaSpgYMLZqPM12f3W1Zkz'
const CREATED = JSON.stringify({
  user_payment: KEY,
  recipient: KEY,
  gateway: KEY,
  policy_id: 1,
  memo: Array.from({ length: 64 }, () => 0),
  policy_type: {
    Subscription: {
      amount: '5',
      auto_renew: true,
      max_renewals: RENEWALS,
      payment_frequency: { Daily: null },
      next_payment_due: '0',
    },
  },
})
const PAID = JSON.stringify({
  payment_policy: KEY,
  gateway: KEY,
  amount: '5',
  timestamp: '1',
  memo: Array.from({ length: 64 }, () => 0),
  record_id: 1,
})

t.test('the status changes of a subscription without an end are read in pages', async t => {
  const { store: opened, database } = await openTestStore(t)
  // Two policies have the same history. The payments of the second can complete it, so all of them are read. Events are stored
  // with the times of others: a payment can come after a change on the chain and before it in time.
  const CHANGES = 9_000
  const statusOf = (from: string, to: string) =>
    JSON.stringify({ payment_policy: KEY, old_status: { [from]: null }, new_status: { [to]: null } })
  await addEvents(
    database.pool,
    {
      first: 0,
      last: CHANGES,
      table: ', unnest($1::text[], $2::text[]) with ordinality as p (address, created, number)',
    },
    {
      slot: 'n + 1',
      signature: `'3' || left(replace(repeat(md5(p.address || n), 3), '0', 'Z'), 87)`,
      event_index: '0',
      name: `case when n = 0 then 'PaymentPolicyCreated' when n % 7 < 4 then 'PaymentPolicyStatusChanged' else 'PaymentRecord' end`,
      data: 'case when n = 0 then p.created when n % 7 < 2 then $3 when n % 7 < 4 then $4 else $5 end::json',
      occurred_at: 'to_timestamp(case when n = 0 then 0 else 100 + n + (n * 7919) % 41 end)',
      gateway: '$6',
      payment_policy: 'p.address',
      amount: 'case when n % 7 >= 4 then 5 end',
      paid_at: 'case when n % 7 >= 4 then n end',
      record_id: 'case when n % 7 >= 4 then n end',
    },
    [
      ['endless', 'ends'],
      [
        CREATED.replace(`"max_renewals":${RENEWALS}`, '"max_renewals":null'),
        CREATED.replace(`"max_renewals":${RENEWALS}`, '"max_renewals":4000000'),
      ],
      statusOf('Active', 'Paused'),
      statusOf('Paused', 'Active'),
      PAID,
      KEY,
    ],
  )
  await database.pool.query('analyze')
  const { store, counts } = countRows(opened)
  const replay = async (address: string) => {
    const changing = new Map([[address, { tokenMint: 'mint', wallet: 'wallet', wasPaid: true }]])
    const found = await replaySubscriptions(
      store,
      { living: [], closed: [], changing },
      { gateway: KEY, programId: DEFAULT_PROGRAM_ID },
    )
    return found.map(({ atMs, became }) => `${atMs} ${became}`)
  }
  const changes = await replay('endless')
  t.ok(Math.max(...counts) <= 3 * MOST_ROWS, `a statement gives ${Math.max(...counts)} rows`)
  t.ok(changes.length > CHANGES / 20, `${changes.length} changes`)
  t.strictSame(changes, await replay('ends'))
})
