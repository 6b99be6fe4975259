// Work that makes projections anew sends no life-cycle event again.
import { DEFAULT_PROGRAM_ID } from '@payment-tracking/contracts'
import { rebuildProjections } from '@payment-tracking/store/ingest'
import { notifyDuePolicies } from '@payment-tracking/store/messages'
import { insertWebhook, openTestStore, SENT } from '@payment-tracking/testkit'
import t from 'tap'
import { keyOf, subscriptionOf, openChain } from './open-chain.js'

const DAY = 86_400
const NOW = Math.floor(Date.now() / 1000)
const ALL = ['created', 'paused', 'resumed', 'completed', 'deleted', 'due_soon', 'overdue', 'expired']
const LIMITS = { soonSeconds: 3 * DAY, graceSeconds: 7_200, limit: 500 }

const { store, pool } = await openTestStore(t)
const chain = openChain(store)
const gateway = keyOf('gateway')
for (const finality of ['confirmed', 'finalized'] as const)
  await insertWebhook(pool, gateway, { types: ALL.map(name => `subscription.${name}`), finality })
const open = (memo: string, due: number, others = {}) =>
  chain.policy({
    gateway,
    owner: keyOf(memo),
    memo,
    at: NOW - 60 * DAY,
    type: subscriptionOf({ payment_frequency: { Weekly: null }, next_payment_due: String(due), ...others }),
  })
const changeStatus = (policy: { address: string }, from: string, to: string) =>
  chain.change(policy.address, to, NOW - 9 * DAY, from)

await open('soon', NOW + 2 * DAY)
await open('overdue', NOW - DAY)
const changed = await open('changed', NOW + 20 * DAY)
await changeStatus(changed, 'Active', 'Paused')
await changeStatus(changed, 'Paused', 'Active')
await chain.pay(await open('completed', NOW - 8 * DAY, { max_renewals: 1 }), NOW - 8 * DAY)
const { address, owner } = await open('deleted', NOW - DAY)
await chain.remove(address, owner, NOW - 2 * DAY)
await chain.policy({
  gateway,
  owner: keyOf('expired'),
  memo: 'expired',
  at: NOW - 60 * DAY,
  type: { OneTime: { amount: '1', due_date: '0', expiry_date: String(NOW - 60) } },
})
await notifyDuePolicies(store, LIMITS)
const late = await open('paid late', NOW - 8 * DAY)
await notifyDuePolicies(store, LIMITS)
const payment = await chain.pay(late, NOW - 6 * DAY)
await notifyDuePolicies(store, LIMITS)
await chain.finalize()

const sent = async () => {
  await notifyDuePolicies(store, LIMITS)
  await chain.finalize()
  const { rows } = await pool.query<{ sent: string }>(
    `select concat_ws(' ', webhook_id, type, message_id, md5(body)) as sent from ${SENT} d order by id`,
  )
  return rows.map(row => row.sent)
}
const first = await sent()
const types = first.map(each => each.split(' ')[1]!.replace('subscription.', ''))
t.same([...new Set(types)].sort(), [...ALL].sort(), 'every type was sent')

t.test('reading the stream again', async t => {
  await chain.repeat()
  t.strictSame(await sent(), first)
})

t.test('a rebuild', async t => {
  await rebuildProjections(store, { programId: DEFAULT_PROGRAM_ID })
  t.strictSame(await sent(), first)
})

t.test('a retraction, after which a date is due again', async t => {
  await chain.retract(payment)
  const { rows } = await pool.query('select next_payment_due::int as due from policies where address = $1', [
    late.address,
  ])
  t.equal(rows[0].due, NOW - 8 * DAY)
  t.strictSame(await sent(), first)
})

t.test('copies of the messages that know the place in the block', async t => {
  await chain.repeat({ transaction_index: 7 })
  const { rows } = await pool.query('select distinct transaction_index::int as nth from events')
  t.same(rows, [{ nth: 7 }])
  t.strictSame(await sent(), first)
})
