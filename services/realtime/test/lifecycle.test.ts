// Life-cycle events, for those who asked: announced by ingest they are sent at once, and never again by a check. What no
// announcement told, checks tell.
import { randomUUID } from 'node:crypto'
import type { CommittedLifecycle } from '@payment-tracking/contracts'
import { waitFor } from '@payment-tracking/testkit'
import t from 'tap'
import { collectPayments, subscribe, usePods } from './use-pods.js'
import { committedPaymentsOf } from './write-payments.js'
import { buildPolicyWriter, collectLifecycles, DAY, kindsOf, lifecycleOf, NOW } from './write-policies.js'

const pods = await usePods(t, { 'realtime.lifecycleEveryMs': '100' })
const pod = await pods.start()
const { happen, insert, create, change } = buildPolicyWriter(pods.database.pool)
const announce = (...lifecycles: CommittedLifecycle[]) => pods.announce({ payments: [], lifecycles })
/** What a new client is sent. */
const follow = async (trackingId: string, request: Record<string, unknown> = { events: true }) => {
  const client = pod.connect()
  const received = collectLifecycles(client)
  await subscribe(client, { trackingId, ...request })
  return received
}

// The first: nobody else is followed, so that the check which waits for the lock is this one.
t.test('events that come during the first check of a subscription are sent once, after it', async t => {
  const [plain, client] = [pod.connect(), pod.connect()]
  const payments = collectPayments(plain)
  const received = collectLifecycles(client)
  await subscribe(plain, { trackingId: 'order' })
  const [first, second] = await Promise.all(
    ['first', 'second'].map(async address => ({ address, trackingId: 'order', start: await happen() })),
  )
  await pods.commit({ trackingId: 'order' })
  const [payment] = await committedPaymentsOf(pods.store, 'order', [1])
  const writer = await pods.database.pool.connect()
  t.teardown(() => writer.release(true))
  await writer.query('begin; lock table policies in access exclusive mode')
  const seen: string[] = []
  client.on('lifecycle', ({ data }) => seen.push(data.paymentPolicy))
  client.emit('subscribe', { trackingId: 'order', events: true }, ({ ok }) => seen.push(`answer ${ok}`))
  await waitFor(async () => {
    const { rowCount } = await pods.database.pool.query(
      `select from pg_locks where not granted and relation = 'policies'::regclass`,
    )
    return rowCount! > 0
  })
  await announce(lifecycleOf(first!, 'created', first!.start), lifecycleOf(second!, 'created', second!.start))
  await pods.announce({ payments: [payment!] })
  await waitFor(() => payments.length === 1, { what: 'the payment that was announced after the events' })
  // The first policy is in the baseline; a check finds the second one.
  await insert(first!, {}, writer)
  await writer.query('commit')
  await waitFor(() => seen.length >= 3, { what: 'the answer and both events' })
  t.same(seen, ['answer true', 'first', 'second'])
  await insert(second!)
  await create('third', 'order')
  await waitFor(() => received.length >= 3, { what: 'the check' })
  t.same(kindsOf(received), ['first created', 'second created', 'third created'])
})

t.test('a policy that is created and deleted in one batch is sent twice, to who asked', async t => {
  const received = await follow('brief')
  const plain = await follow('brief', {})
  const elsewhere = await follow('other')
  const ofRecipient = await follow('brief', { events: true, recipient: '1'.repeat(44) })
  const ofAnother = await follow('brief', { events: true, recipient: '2'.repeat(44) })
  const policy = { address: 'brief', trackingId: 'brief', start: await happen() }
  const end = await happen()
  await insert(policy, { live: false, deleted_order: end })
  const paidTo = '1'.repeat(44)
  await announce(
    lifecycleOf(policy, 'created', policy.start, paidTo),
    lifecycleOf(policy, 'deleted', end, paidTo),
    // The same message again, from a second process.
    lifecycleOf(policy, 'deleted', end, paidTo),
  )
  // A later change that only a check sends: it proves that the checks before said nothing of the first policy.
  await insert({ ...policy, address: 'later', start: await happen() }, { recipient: paidTo })
  await waitFor(() => [received, ofRecipient].every(list => list.length >= 3), { what: 'all three' })
  t.same(kindsOf(received), ['brief created', 'brief deleted', 'later created'])
  t.same(kindsOf(ofRecipient), ['brief created', 'brief deleted', 'later created'])
  t.match(received[0], {
    id: /^msg_[0-9a-f]{40}lifecycle$/,
    type: 'subscription.created',
    timestamp: Number,
  })
  t.same([plain, elsewhere, ofAnother], [[], [], []])
})

t.test('what an announcement sent, a check does not send again', async t => {
  const received = await follow('told')
  const policy = { address: 'one', trackingId: 'told', start: await happen() }
  const pause = await happen()
  await announce(lifecycleOf(policy, 'created', policy.start), lifecycleOf(policy, 'paused', pause))
  await waitFor(() => received.length >= 2, { what: 'the announced' })
  await insert(policy, { status: 'paused', changed_status: 'Paused', status_order: pause })
  await create('two', 'told')
  await waitFor(() => received.length >= 3, { what: 'the check' })
  t.same(kindsOf(received), ['one created', 'one paused', 'two created'])
  // A retraction takes the pause back, and a copy brings it again.
  await change('one', `status = 'active', changed_status = null, status_order = null`)
  await create('three', 'told')
  await waitFor(() => received.length >= 4, { what: 'the check after the retraction' })
  await change('one', `status = 'paused', changed_status = 'Paused', status_order = $2`, pause)
  await create('four', 'told')
  await waitFor(() => received.length >= 5, { what: 'the check after the copy' })
  t.same(kindsOf(received).slice(3), ['three created', 'four created'])
})

t.test('a check sends what Redis lost, and an announcement that comes late is not sent again', async t => {
  const received = await follow('lost')
  const policy = await create('missed', 'lost')
  await waitFor(() => received.length >= 1, { what: 'the lost creation' })
  const pause = await happen()
  await change('missed', `status = 'paused', changed_status = 'Paused', status_order = $2`, pause)
  await waitFor(() => received.length >= 2, { what: 'the lost pause' })
  const resumption = await happen()
  await announce(
    lifecycleOf(policy, 'created', policy.start),
    lifecycleOf(policy, 'paused', pause),
    lifecycleOf(policy, 'resumed', resumption),
  )
  await waitFor(() => received.length >= 3, { what: 'the announced' })
  t.same(kindsOf(received), ['missed created', 'missed paused', 'missed resumed'])
  t.equal(new Set(received.map(({ id }) => id)).size, 3)
})

t.test('a lost deletion of a policy that no look ever saw is sent', async t => {
  const received = await follow('gone')
  const policy = { address: 'gone', trackingId: 'gone', start: await happen() }
  await insert(policy, { live: false, deleted_order: await happen() })
  await announce(lifecycleOf(policy, 'created', policy.start))
  await waitFor(() => received.length >= 2, { what: 'the deletion' })
  t.same(kindsOf(received), ['gone created', 'gone deleted'])
})

t.test('an announcement of an epoch that ended is not sent', async t => {
  const received = await follow('epoch')
  const policy = { address: 'present', trackingId: 'epoch', start: await happen() }
  const lost = lifecycleOf({ ...policy, address: 'lost' }, 'created', policy.start)
  await pods.announce({ payments: [], lifecycles: [lost], epoch: randomUUID() })
  await announce(lifecycleOf(policy, 'created', policy.start))
  await waitFor(() => received.length >= 1)
  t.same(kindsOf(received), ['present created'])
})

// Here Redis loses every announcement.
t.test('checks alone tell the same on every pod', async t => {
  const [one, two] = [pod, await pods.start()]
  await create('early', 'order-1', { next_payment_due: NOW + DAY, due_at: NOW + DAY })
  const [follower, elsewhere, plain, choosy] = [one.connect(), two.connect(), one.connect(), one.connect()]
  const received = [follower, elsewhere, plain, choosy].map(collectLifecycles)
  for (const client of [follower, elsewhere]) await subscribe(client, { trackingId: 'order-1', events: true })
  await subscribe(plain, { trackingId: 'order-1' })
  await subscribe(choosy, { trackingId: 'order-1', events: true, recipient: '9'.repeat(44) })
  const expect = async (list: string[]) => {
    for (const each of [received[0]!, received[1]!])
      await waitFor(() => each.length >= list.length, {
        what: `${list.at(-1)} after ${kindsOf(each).join()}`,
      })
    t.same(kindsOf(received[0]!), list)
    t.same(kindsOf(received[1]!), list, 'another pod sends the same')
  }

  await create('lively', 'order-1')
  await create('foreign', 'order-2')
  await expect(['lively created'])
  await change('lively', `status = 'paused', changed_status = 'Paused', status_order = $2`, await happen())
  await expect(['lively created', 'lively paused'])
  await change('lively', `status = 'active', changed_status = 'Active', status_order = $2`, await happen())
  const first = ['lively created', 'lively paused', 'lively resumed']
  await expect(first)
  // A retraction takes the chain positions back, and sends nothing.
  await change('lively', 'status_order = null, changed_status = null')
  await change('lively', 'next_payment_due = $2, due_at = $2', NOW + DAY)
  await expect([...first, 'lively due_soon'])
  await change('early', 'next_payment_due = $2, due_at = $2', NOW - DAY)
  await expect([...first, 'lively due_soon', 'early overdue'])
  await change(
    'early',
    `status = 'completed', payment_count = 3, total_paid = 15, last_payment_order = $2`,
    await happen(),
  )
  await change('lively', 'live = false, deleted_order = $2', await happen())
  await waitFor(() => received.slice(0, 2).every(each => each.length === 7), { what: 'the end' })
  t.same(kindsOf(received[0]!).slice(5).sort(), ['early completed', 'lively deleted'])

  t.match(received[0]![1], {
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
  t.match(received[0]![4]!.data, { dueAt: NOW - DAY, eventId: null, signature: null })
  const completed = received[0]!.find(({ type }) => type === 'subscription.completed')!.data
  t.match(completed, { paymentCount: 3, totalPaidString: '15' })
  const found = new Set(received[0]!.map(({ id }) => id))
  t.same(found, new Set(received[1]!.map(({ id }) => id)), 'one id over all pods')
  t.equal(new Set(received[0]!.map(({ id }) => id)).size, 7)
  t.same([received[2], received[3]], [[], []], 'only those who asked, and for their recipient alone')

  const late = one.connect()
  const toLate = collectLifecycles(late)
  await subscribe(late, { trackingId: 'order-1', events: true })
  await create('next', 'order-1')
  await waitFor(() => toLate.length > 0)
  t.same(kindsOf(toLate), ['next created'], 'a subscription begins now')
})
