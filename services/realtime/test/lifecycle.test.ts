// Looks alone tell clients that subscribed with `events: true` what happens to the policies of their tracking ID: here
// Redis loses every announcement.
import { waitFor } from '@payment-tracking/testkit'
import t from 'tap'
import { subscribe, usePods } from './use-pods.js'
import { buildPolicyWriter, collectLifecycles, DAY, kindsOf, NOW } from './write-policies.js'

t.test('life-cycle events without an announcement', async t => {
  const pods = await usePods(t, { 'realtime.lifecycleEveryMs': '100' })
  const { create, change, happen } = buildPolicyWriter(pods.database.pool)
  const [one, two] = [await pods.start(), await pods.start()]
  await create('before', 'order-1', { next_payment_due: NOW + DAY, due_at: NOW + DAY })
  const [follower, elsewhere, plain, choosy] = [one.connect(), two.connect(), one.connect(), one.connect()]
  const told = [follower, elsewhere, plain, choosy].map(collectLifecycles)
  for (const client of [follower, elsewhere]) await subscribe(client, { trackingId: 'order-1', events: true })
  await subscribe(plain, { trackingId: 'order-1' })
  await subscribe(choosy, { trackingId: 'order-1', events: true, recipient: '9'.repeat(44) })
  const expect = async (list: string[]) => {
    for (const each of [told[0]!, told[1]!])
      await waitFor(() => each.length >= list.length, {
        what: `${list.at(-1)} after ${kindsOf(each).join()}`,
      })
    t.same(kindsOf(told[0]!), list)
    t.same(kindsOf(told[1]!), list, 'another pod tells the same')
  }

  await create('later', 'order-1')
  await create('stranger', 'order-2')
  await expect(['later created'])
  await change('later', `status = 'paused', changed_status = 'Paused', status_order = $2`, await happen())
  await expect(['later created', 'later paused'])
  await change('later', `status = 'active', changed_status = 'Active', status_order = $2`, await happen())
  const first = ['later created', 'later paused', 'later resumed']
  await expect(first)
  // A retraction takes the places on the chain back, and tells nothing.
  await change('later', 'status_order = null, changed_status = null')
  await change('later', 'next_payment_due = $2, due_at = $2', NOW + DAY)
  await expect([...first, 'later due_soon'])
  await change('before', 'next_payment_due = $2, due_at = $2', NOW - DAY)
  await expect([...first, 'later due_soon', 'before overdue'])
  await change(
    'before',
    `status = 'completed', payment_count = 3, total_paid = 15, last_payment_order = $2`,
    await happen(),
  )
  await change('later', 'live = false, deleted_order = $2', await happen())
  await waitFor(() => told.slice(0, 2).every(each => each.length === 7), { what: 'the end' })
  t.same(kindsOf(told[0]!).slice(5).sort(), ['before completed', 'later deleted'])

  t.match(told[0]![1], {
    id: /^msg_[0-9a-f]{40}lifecycle$/,
    type: 'subscription.paused',
    data: {
      trackingId: 'order-1',
      status: 'paused',
      gateway: 'g',
      recipient: 'r',
      dueAt: null,
      signature: /^signature \d+$/,
      slot: Number,
      eventId: String,
    },
    timestamp: Number,
  })
  t.match(told[0]![4]!.data, { dueAt: NOW - DAY, eventId: null, signature: null })
  t.match(told[0]!.find(({ type }) => type === 'subscription.completed')!.data, {
    paymentCount: 3,
    totalPaidString: '15',
  })
  t.same(new Set(told[0]!.map(({ id }) => id)), new Set(told[1]!.map(({ id }) => id)), 'one id over all pods')
  t.equal(new Set(told[0]!.map(({ id }) => id)).size, 7)
  t.same([told[2], told[3]], [[], []], 'only those who asked, and for their recipient alone')

  const late = one.connect()
  const toLate = collectLifecycles(late)
  await subscribe(late, { trackingId: 'order-1', events: true })
  await create('third', 'order-1')
  await waitFor(() => toLate.length > 0)
  t.same(kindsOf(toLate), ['third created'], 'a subscription begins now')
})
