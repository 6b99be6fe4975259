// Clients that subscribed with `events: true` hear what happens to the policies of their tracking ID.
import { createHash } from 'node:crypto'
import type { LifecycleMessage } from '@payment-tracking/contracts'
import { waitFor } from '@payment-tracking/testkit'
import t from 'tap'
import { subscribe, usePods, type Client } from './use-pods.js'

const NOW = Math.floor(Date.now() / 1000)
const DAY = 86_400

t.test('life-cycle events on sockets', async t => {
  const pods = await usePods(t, { LIFECYCLE_INTERVAL_MS: '100' })
  const { pool } = pods.database
  const [one, two] = [await pods.start(), await pods.start()]
  let place = 0
  /** An order on the chain, with its event. */
  const happen = async (): Promise<string> => {
    const hex = (value: number, digits: number) => value.toString(16).padStart(digits, '0')
    const id = createHash('sha256').update(String(++place)).digest('hex').slice(0, 32)
    await pool.query(
      `insert into events (id, position, slot, signature, event_index, name, data, commitment, occurred_at, fingerprint,
                           stream_sequence)
       values ($1::uuid, $2::bigint, $2::bigint, 'signature ' || $2, 0, 'Told', '{}', 'confirmed', now(), gen_random_uuid(), $2::bigint)`,
      [id, place],
    )
    return hex(place, 16) + hex(0, 16) + id
  }
  const create = async (address: string, trackingId: string, columns: Record<string, unknown> = {}) => {
    const row = {
      ...{ address, tracking_id: trackingId, user_payment: 'up', gateway: 'g', recipient: 'r', live: true },
      ...{ policy_id: 1, created_at: NOW, status: 'active', life_start: await happen() },
      policy_type: JSON.stringify({ Subscription: { amount: 5 } }),
      ...columns,
    }
    const names = Object.keys(row)
    await pool.query(
      `insert into policies (${names.join(', ')}) values (${names.map((_, at) => `$${at + 1}`).join(', ')})`,
      Object.values(row),
    )
  }
  const change = (address: string, set: string, ...values: unknown[]) =>
    pool.query(`update policies set ${set} where address = $1`, [address, ...values])
  const listen = (client: Client) => {
    const told: LifecycleMessage[] = []
    client.on('lifecycle', message => told.push(message))
    return told
  }
  const types = (told: LifecycleMessage[]) =>
    told.map(({ type, data }) => `${data.paymentPolicy} ${type.replace('subscription.', '')}`)

  await create('before', 'order-1', { next_payment_due: NOW + DAY })
  const [follower, elsewhere, plain, choosy] = [one.connect(), two.connect(), one.connect(), one.connect()]
  const told = [follower, elsewhere, plain, choosy].map(listen)
  for (const client of [follower, elsewhere]) await subscribe(client, { trackingId: 'order-1', events: true })
  await subscribe(plain, { trackingId: 'order-1' })
  await subscribe(choosy, { trackingId: 'order-1', events: true, recipient: '9'.repeat(44) })
  const expect = async (list: string[]) => {
    for (const each of [told[0]!, told[1]!])
      await waitFor(() => each.length >= list.length, { what: `${list.at(-1)} after ${types(each).join()}` })
    t.same(types(told[0]!), list)
    t.same(types(told[1]!), list, 'another pod tells the same')
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
  await change('later', 'next_payment_due = $2', NOW + DAY)
  await expect([...first, 'later due_soon'])
  await change('before', 'next_payment_due = $2', NOW - DAY)
  await expect([...first, 'later due_soon', 'before overdue'])
  await change(
    'before',
    `status = 'completed', payment_count = 3, total_paid = 15, last_payment_order = $2`,
    await happen(),
  )
  await change('later', 'live = false, deleted_order = $2', await happen())
  await waitFor(() => told.slice(0, 2).every(each => each.length === 7), { what: 'the end' })
  t.same(types(told[0]!).slice(5).sort(), ['before completed', 'later deleted'])

  t.match(told[0]![1], {
    id: /^msg_[0-9a-f]{40}lifecycle$/,
    type: 'subscription.paused',
    data: {
      ...{ trackingId: 'order-1', status: 'paused', gateway: 'g', recipient: 'r', dueAt: null },
      ...{ signature: /^signature \d+$/, slot: Number, eventId: String },
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
  const toLate = listen(late)
  await subscribe(late, { trackingId: 'order-1', events: true })
  await create('third', 'order-1')
  await waitFor(() => toLate.length > 0)
  t.same(types(toLate), ['third created'], 'a subscription begins now')
})
