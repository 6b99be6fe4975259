// A policy that is completed by something else than its next payment tells it, once.
import t from 'tap'
import {
  created,
  ingest,
  pay,
  retraction,
  userPayment,
  GATEWAY,
  START,
  type Message,
} from './refold-history.js'
import { openTestStore } from './open-test-store.js'

/** One payment completes it, and a second one proves an older program, which went on. */
const ENDS = {
  Subscription: {
    amount: '5000',
    auto_renew: false,
    max_renewals: 9,
    padding: [0],
    payment_frequency: { Monthly: null },
    next_payment_due: String(START),
  },
}

async function openTold(t: Parameters<typeof openTestStore>[0]) {
  const { store, database } = await openTestStore(t)
  await database.pool.query(
    `insert into webhooks (gateway, endpoint_url, secret, event_types)
     values ($1, 'http://127.0.0.1:9/', 'whsec_', '{subscription.completed}')`,
    [GATEWAY],
  )
  return {
    /** @returns what sockets are told of completions */
    ingest: async (...messages: Message[]) =>
      (await ingest(store, messages)).flatMap(({ lifecycles }) =>
        lifecycles.filter(({ type }) => type === 'subscription.completed'),
      ),
    /** @returns the slots of the events that completed */
    told: async () => {
      const { rows } = await database.pool.query<{ slot: number }>(
        'select e.slot::int as slot from deliveries d join events e on e.id = d.event_id order by d.id',
      )
      return rows.map(({ slot }) => slot)
    },
  }
}

t.test('a retraction that completes a policy tells it, once for the incarnation', async t => {
  const { ingest, told } = await openTold(t)
  t.same(await ingest(userPayment, created(1, 2, ENDS), pay(3), pay(4)), [])
  t.same(await told(), [], 'a second payment proves that the policy goes on')
  t.equal((await ingest(retraction(4))).length, 1)
  t.same(await told(), [3], 'because of the payment that is left')
  await ingest(pay(5))
  await ingest(retraction(5))
  t.same(await told(), [3])
})

t.test('a completion is not told again when a copy has moved the Created event', async t => {
  const { ingest, told } = await openTold(t)
  const [first, second] = [created(1, 2, ENDS), pay(3)]
  await ingest(userPayment, first, second)
  t.same(await told(), [3])
  const moved = { ...JSON.parse(first.bytes.toString()), transaction_index: 7 }
  await ingest({ ...first, bytes: Buffer.from(JSON.stringify(moved)) })
  await ingest(retraction(3))
  await ingest(pay(5))
  t.same(await told(), [3])
})
