// What an event says is told once and in order, whatever becomes of the events before it.
import t from 'tap'
import {
  created,
  ingest,
  keyOf,
  memoOf,
  pay,
  PERIODS,
  policyOf,
  say,
  userPayment,
  GATEWAY,
  MINT,
  RECIPIENT,
  USER_PAYMENT,
  type Message,
} from './refold-history.js'
import { openTestStore } from './open-test-store.js'

const change = (message: Message, fields: object): Message => ({
  ...message,
  bytes: Buffer.from(JSON.stringify({ ...JSON.parse(Buffer.from(message.bytes).toString()), ...fields })),
})

const retract = (message: Message): Message => {
  const { signature, slot } = JSON.parse(Buffer.from(message.bytes).toString())
  return {
    subject: 'chain.events.control.retracted',
    bytes: Buffer.from(JSON.stringify({ signature, slot })),
  }
}

const paused = say('PaymentPolicyStatusChanged', 8, {
  payment_policy: policyOf(1),
  old_status: { Active: null },
  new_status: { Paused: null },
})

for (const finality of ['confirmed', 'finalized'])
  t.test(`a pause is told once when its policy's Created event appears again: ${finality}`, async t => {
    const { store, database } = await openTestStore(t)
    await database.pool.query(
      `insert into webhooks (gateway, endpoint_url, secret, finality, event_types)
       values ($1, 'http://127.0.0.1:9/', 'whsec_', $2, '{subscription.created,subscription.paused}')`,
      [GATEWAY, finality],
    )
    const first = created(1, 5, PERIODS)
    await ingest(store, [userPayment, first, paused])
    await ingest(store, [retract(first)])
    const again = change(first, { slot: 4, commitment: 'finalized' })
    // A copy that knows the place moves the pause, as if it came to this incarnation now.
    await ingest(store, [again, change(paused, { transaction_index: 3, commitment: 'finalized' })])
    const { rows } = await database.pool.query<{ type: string; slot: string }>(
      `select d.type, e.slot from deliveries d join events e on e.id = d.event_id order by e.slot, d.id`,
    )
    const told = rows.map(({ type, slot }) => `${type.replace('subscription.', '')} ${slot}`)
    t.same(
      told,
      finality === 'confirmed' ? ['created 4', 'created 5', 'paused 8'] : ['created 4', 'paused 8'],
    )
  })

t.test('a pause that is retracted while it waits for finality is not told', async t => {
  const { store, database } = await openTestStore(t)
  await database.pool.query(
    `insert into webhooks (gateway, endpoint_url, secret, finality, event_types)
     values ($1, 'http://127.0.0.1:9/', 'whsec_', 'finalized', '{subscription.created,subscription.paused}')`,
    [GATEWAY],
  )
  await ingest(store, [userPayment, created(1, 5, PERIODS), paused])
  await ingest(store, [retract(paused)])
  await ingest(store, [
    { subject: 'chain.events.control.finalized', bytes: Buffer.from(JSON.stringify({ slot: 99 })) },
  ])
  const { rows } = await database.pool.query<{ type: string }>('select type from deliveries')
  t.same(rows, [{ type: 'subscription.created' }])
})

const composable = keyOf('composable policy')
const begun = (slot: number, policyType: object) =>
  say('ComposablePolicyCreated', slot, {
    composable_policy: composable,
    user_payment: USER_PAYMENT,
    recipient: RECIPIENT,
    gateway: GATEWAY,
    policy_id: 7,
    policy_type: policyType,
    memo: memoOf('order').slice(0, 32),
    forward_config: { input_mint: MINT, output_mint: MINT },
    validation: null,
  })
const completed = say('ComposablePolicyStatusChanged', 9, {
  composable_policy: composable,
  old_status: { Active: null },
  new_status: { Completed: null },
})

t.test("a completion is told once when its policy's Created event is retracted", async t => {
  const { store, database } = await openTestStore(t)
  await database.pool.query(
    `insert into webhooks (gateway, endpoint_url, secret, event_types)
     values ($1, 'http://127.0.0.1:9/', 'whsec_', '{subscription.completed}')`,
    [GATEWAY],
  )
  const told = async () => {
    const { rows } = await database.pool.query<{ slot: string }>(
      `select e.slot from deliveries d join events e on e.id = d.event_id order by d.id`,
    )
    return rows.map(({ slot }) => slot)
  }
  const second = begun(5, PERIODS)
  await ingest(store, [userPayment, begun(3, PERIODS), second, completed])
  t.same(await told(), ['9'])
  // The incarnation before is the latest one again, and the same event completes it.
  await ingest(store, [retract(second)])
  t.same(await told(), ['9'])
})

t.test('a retraction is told before the payments of its batch', async t => {
  const { store, database } = await openTestStore(t)
  await database.pool.query(
    `insert into webhooks (gateway, endpoint_url, secret, ordered, event_types)
     values ($1, 'http://127.0.0.1:9/', 'whsec_', true, '{payment.executed,payment.retracted}')`,
    [GATEWAY],
  )
  await ingest(store, [userPayment, created(1, 2, PERIODS), pay(3)])
  await database.pool.query('update deliveries set attempts_made = 1')
  await ingest(store, [pay(5), retract(pay(3)), pay(6)])
  const { rows } = await database.pool.query<{ type: string; slot: string }>(
    'select d.type, e.slot from deliveries d join events e on e.id = d.event_id order by d.id',
  )
  t.same(
    rows.map(({ type, slot }) => `${type.replace('payment.', '')} ${slot}`),
    ['executed 3', 'retracted 3', 'executed 5', 'executed 6'],
  )
})
