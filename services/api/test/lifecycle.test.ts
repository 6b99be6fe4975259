// Deliveries of what time says of a policy. What is sent of a policy at all, in any order: packages/store/test/laws.
import { searchDeliveries } from '@payment-tracking/store/admin'
import { notifyDuePolicies } from '@payment-tracking/store/messages'
import { insertWebhook, openTestStore } from '@payment-tracking/testkit'
import t from 'tap'
import { keyOf, openChain } from './open-chain.js'

const DAY = 86_400
const NOW = Math.floor(Date.now() / 1000)
const ALL = ['created', 'paused', 'resumed', 'completed', 'deleted', 'due_soon', 'overdue', 'expired'].map(
  name => `subscription.${name}`,
)
const LIMITS = { soonSeconds: 3 * DAY, graceSeconds: 7_200, limit: 500 }

const { store, pool } = await openTestStore(t)
const chain = openChain(store)
const addWebhook = (gateway: string, types = ALL) => insertWebhook(pool, gateway, { types })

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
