// What webhooks are notified of a policy, and of its dates. Any order and repetition of messages: packages/store/test/laws.
import { searchDeliveries } from '@payment-tracking/store/admin'
import { notifyDuePolicies } from '@payment-tracking/store/messages'
import { insertWebhook, openTestStore, SENT } from '@payment-tracking/testkit'
import t from 'tap'
import { keyOf, subscriptionOf, openChain } from './open-chain.js'

const DAY = 86_400
const NOW = Math.floor(Date.now() / 1000)
const ALL = ['created', 'paused', 'resumed', 'completed', 'deleted', 'due_soon', 'overdue', 'expired'].map(
  name => `subscription.${name}`,
)
const LIMITS = { soonSeconds: 3 * DAY, graceSeconds: 7_200, limit: 500 }

const { store, pool } = await openTestStore(t)
const chain = openChain(store)
const addWebhook = (gateway: string, types = ALL) => insertWebhook(pool, gateway, { types })
/** Types and bodies, in the order in which they were written. */
const sentTo = async (webhook: string) => {
  const { rows } = await pool.query<{ type: string; message_id: string; body: string }>(
    `select type, message_id, body from ${SENT} d where webhook_id = $1 order by id`,
    [webhook],
  )
  return rows.map(({ type, message_id: id, body }) => ({
    type: type.replace('subscription.', ''),
    id,
    body: JSON.parse(body),
  }))
}
const typesOf = async (webhook: string) => (await sentTo(webhook)).map(({ type }) => type)

t.test('each change is sent once, with the known details of the policy', async t => {
  const gateway = keyOf('gateway of changes')
  const webhook = await addWebhook(gateway)
  const payments = await addWebhook(gateway, [])
  const stranger = await addWebhook(keyOf('another gateway'))
  const policy = await chain.policy({
    gateway,
    owner: keyOf('payer'),
    memo: 'my-plan',
    at: NOW - 9 * DAY,
    type: subscriptionOf({ max_renewals: 2, next_payment_due: String(NOW - 9 * DAY) }),
  })
  await chain.pay(policy, NOW - 8 * DAY, { amount: 3 })
  await chain.change(policy.address, 'Paused', NOW - 7 * DAY)
  await chain.change(policy.address, 'Active', NOW - 6 * DAY)
  await chain.pay(policy, NOW - 5 * DAY, { amount: 4 })
  await chain.remove(policy.address, policy.owner, NOW - 4 * DAY)
  t.same(await typesOf(webhook), ['created', 'paused', 'resumed', 'completed', 'deleted'])
  t.same(await typesOf(payments), ['payment.executed', 'payment.executed'])
  t.same(await typesOf(stranger), [])
  const completed = (await sentTo(webhook))[3]!
  t.equal(completed.body.id, completed.id)
  t.match(completed.body, {
    type: 'subscription.completed',
    timestamp: new Date((NOW - 5 * DAY) * 1000).toISOString(),
    data: {
      trackingId: 'my-plan',
      paymentPolicy: policy.address,
      gateway,
      recipient: policy.recipient,
      payer: policy.owner,
      tokenMint: policy.mint,
      status: 'completed',
      family: 'regular',
      dueAt: null,
      paymentCount: 2,
      totalPaid: 7,
      totalPaidString: '7',
      signature: String,
      slot: Number,
    },
  })
})

t.test('messages caused by time are found by the tracking ID of their policy', async t => {
  const gateway = keyOf('gateway of searches')
  await addWebhook(gateway)
  const memos = ['plan', 'a "quoted" \\ plan', '"trackingId":"plan"', 'plàn']
  for (const memo of memos)
    await chain.policy({
      gateway,
      owner: keyOf(`searched ${memo}`),
      memo,
      at: NOW - 40 * DAY,
      type: { OneTime: { amount: '1', due_date: '0', expiry_date: String(NOW - 60) } },
    })
  await notifyDuePolicies(store, LIMITS)
  for (const trackingId of memos) {
    const found = await searchDeliveries(store, gateway, { trackingId, limit: 9, offset: 0 })
    t.same(
      found.map(each => [each.type, each.trackingId]),
      [
        ['subscription.expired', trackingId],
        ['subscription.created', trackingId],
      ],
      trackingId,
    )
    const others = await searchDeliveries(store, keyOf('nobody'), { trackingId, limit: 9, offset: 0 })
    t.same(others, [])
  }
})
