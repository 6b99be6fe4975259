// What an event says is sent once and in order, whatever becomes of the events before it.
import { insertWebhook, openTestStore } from '@payment-tracking/testkit'
import t from 'tap'
import {
  created,
  ingest,
  keyOf,
  memoOf,
  pay,
  PERIODS,
  policyOf,
  retraction,
  say,
  userPayment,
  GATEWAY,
  MINT,
  RECIPIENT,
  START,
  USER_PAYMENT,
  type Message,
} from './recompute-history.js'

const read = ({ bytes }: Message) => JSON.parse(Buffer.from(bytes).toString()) as Record<string, unknown>
const change = (message: Message, fields: object): Message => ({
  ...message,
  bytes: Buffer.from(JSON.stringify({ ...read(message), ...fields })),
})
const control = (kind: string, fields: object): Message => ({
  subject: `chain.events.control.${kind}`,
  bytes: Buffer.from(JSON.stringify(fields)),
})
const retract = (message: Message): Message => {
  const { signature, slot } = read(message)
  return control('retracted', { signature, slot })
}

const paused = say('PaymentPolicyStatusChanged', 8, {
  payment_policy: policyOf(1),
  old_status: { Active: null },
  new_status: { Paused: null },
})
const first = created(1, 5, PERIODS)
/** A copy that knows the place moves the pause, as if it came to this incarnation now. */
const moved = change(paused, { transaction_index: 3, commitment: 'finalized' })

const composable = keyOf('composable policy')
const begun = (slot: number) =>
  say('ComposablePolicyCreated', slot, {
    composable_policy: composable,
    user_payment: USER_PAYMENT,
    recipient: RECIPIENT,
    gateway: GATEWAY,
    policy_id: 7,
    policy_type: PERIODS,
    memo: memoOf('order').slice(0, 32),
    forward_config: { input_mint: MINT, output_mint: MINT },
    validation: null,
  })
const completed = say('ComposablePolicyStatusChanged', 9, {
  composable_policy: composable,
  old_status: { Active: null },
  new_status: { Completed: null },
})

/** A payment whose tracking ID is that of its policy. */
const executed = say('ComposableExecuted', 9, {
  composable_policy: composable,
  gateway: GATEWAY,
  recipient: RECIPIENT,
  input_amount: '5000',
  output_amount: '5000',
  protocol_fee: '0',
  gateway_fee: '0',
  record_id: 1,
  timestamp: String(START),
})

/** One payment completes it, and a second one proves an older program, which went on. */
const ends = created(1, 2, {
  Subscription: {
    amount: '5000',
    auto_renew: false,
    max_renewals: 9,
    padding: [0],
    payment_frequency: { Monthly: null },
    next_payment_due: String(START),
  },
})

interface Case {
  finality?: 'confirmed' | 'finalized'
  types: string[]
  /** stored one after the other; before a batch that is null, every delivery is tried */
  batches: (Message[] | null)[]
  /** types and slots, in the order of deliveries */
  sent: string[]
  /** ids of completions that sockets are sent; a pod sends an id once */
  ids?: number
}
const CHANGES = ['subscription.created', 'subscription.paused']
const again = [
  [userPayment, first, paused],
  [retract(first)],
  [change(first, { slot: 4, commitment: 'finalized' }), moved],
]

const CASES: Record<string, Case> = {
  "a pause is told once when its policy's Created event appears again": {
    types: CHANGES,
    batches: again,
    sent: ['created 5', 'paused 8', 'created 4'],
  },
  'a pause that waits for finality is told once as well': {
    finality: 'finalized',
    types: CHANGES,
    batches: again,
    sent: ['created 4', 'paused 8'],
  },
  'a pause that is retracted while it waits for finality is not told': {
    finality: 'finalized',
    types: CHANGES,
    batches: [[userPayment, first, paused], [retract(paused)], [control('finalized', { slot: 99 })]],
    sent: ['created 5'],
  },
  // The incarnation before is the latest one again, and the same event completes it.
  "a completion is told once when its policy's Created event is retracted": {
    types: ['subscription.completed'],
    batches: [[userPayment, begun(3), begun(5), completed], [retract(begun(5))]],
    sent: ['completed 9'],
  },
  // A second payment proves that the policy goes on; then the payment that is left completes it.
  'a retraction that completes a policy sends it, once for the incarnation': {
    types: ['subscription.completed'],
    batches: [[userPayment, ends, pay(3), pay(4)], [retraction(4)], [pay(5)], [retraction(5)]],
    sent: ['completed 3'],
    ids: 1,
  },
  'a completion is not told again when a copy has moved the Created event': {
    types: ['subscription.completed'],
    batches: [
      [userPayment, ends, pay(3)],
      [change(ends, { transaction_index: 7 })],
      [retraction(3)],
      [pay(5)],
    ],
    sent: ['completed 3'],
    ids: 1,
  },
  // Nobody knows the payment's tracking ID while its policy is gone.
  "a payment is told once when its policy's Created event appears again": {
    types: ['payment.executed'],
    batches: [[userPayment, begun(3), executed], [retract(begun(3))], [begun(4)]],
    sent: ['executed 9'],
  },
  'a retraction is told before the payments of its batch': {
    types: ['payment.executed', 'payment.retracted'],
    batches: [[userPayment, created(1, 2, PERIODS), pay(3)], null, [pay(5), retract(pay(3)), pay(6)]],
    sent: ['executed 3', 'retracted 3', 'executed 5', 'executed 6'],
  },
}

for (const [name, { finality = 'confirmed', types, batches, sent, ids }] of Object.entries(CASES))
  t.test(name, async t => {
    const { store, pool } = await openTestStore(t)
    await insertWebhook(pool, GATEWAY, { ordered: true, finality, types })
    const sockets = new Set<string>()
    for (const batch of batches) {
      if (batch === null) await pool.query('update deliveries set attempts_made = 1')
      else
        for (const { lifecycles } of await ingest(store, batch))
          for (const { type, id } of lifecycles) if (type === 'subscription.completed') sockets.add(id)
    }
    const { rows } = await pool.query<{ type: string; slot: string }>(
      'select d.type, e.slot from deliveries d join events e on e.id = d.event_id order by d.id',
    )
    const found = rows.map(({ type, slot }) => `${type.replace(/^\w+\./, '')} ${slot}`)
    t.same(found, sent)
    const { rows: twice } = await pool.query(
      `select type from messages where position is not null group by gateway, event_id, type having count(*) > 1`,
    )
    t.same(twice, [], 'no message stands in the feed twice')
    if (ids !== undefined) t.equal(sockets.size, ids, 'completions, to sockets')
  })
