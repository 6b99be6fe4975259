// A transaction comes again in a later slot while its first appearance is still valid: the second appearance waits among
// the dead letters, and the retraction takes it in.
import { controlSubjectOf, DEFAULT_SUBJECT_PREFIX, subjectOf } from '@payment-tracking/contracts'
import { buildChain, openTestStore } from '@payment-tracking/testkit'
import t from 'tap'
import { ingestSubjects } from './ingest-messages.js'

const { store, pool } = await openTestStore(t)
const chain = buildChain({ seed: 'too early' })
let firstSequence = 1

const subjectNamed = (message: object): string =>
  'event_name' in message
    ? subjectOf(DEFAULT_SUBJECT_PREFIX, message.event_name)
    : controlSubjectOf(DEFAULT_SUBJECT_PREFIX, 'retracted')

/** Stores messages in one batch. */
async function ingest(...messages: object[]) {
  const batch = messages.map(message => ({
    subject: subjectNamed(message),
    bytes: Buffer.from(JSON.stringify(message)),
  }))
  return (await ingestSubjects(store, batch, { firstSequence: (firstSequence += 100) }))[0]!
}

/** A payment of a new policy, the same payment in a later slot, and the retraction of the first. */
async function openCase() {
  const gateway = await chain.openGateway()
  const policy = await chain.openPolicy(gateway, await chain.openUserPayment(), { trackingId: 'order-1' })
  await ingest(gateway.created, policy.userPayment.created, policy.created)
  const first = chain.pay(policy, 7n)
  const second = { ...first, slot: chain.emit('Nothing', {}).slot }
  const { signature, slot } = first
  const ask = async (sql: string, value: string) => (await pool.query(sql, [value])).rows
  return {
    first,
    second,
    retraction: { signature, slot },
    inTheEnd: {
      payments: [
        { slot, retracted: true },
        { slot: second.slot, retracted: false },
      ],
      policies: [{ payment_count: 1, total_paid: 7 }],
      waiting: [],
    },
    check: async () => ({
      payments: await ask(
        'select slot::int, retracted_at is not null as retracted from events where signature = $1 order by slot',
        signature,
      ),
      policies: await ask(
        'select payment_count::int, total_paid::int from policies where address = $1',
        policy.address,
      ),
      waiting: await ask(
        'select code from dead_letters where signature = $1 and replayed_at is null',
        signature,
      ),
    }),
  }
}

t.test('a second appearance that comes too early waits, and its retraction takes it in', async t => {
  const { first, second, retraction, inTheEnd, check } = await openCase()
  await ingest(first)
  const early = await ingest(second)
  t.same(early.payments, [], 'it is not announced yet')
  t.match(await check(), {
    payments: [{ slot: first.slot, retracted: false }],
    waiting: [{ code: 'CONFLICT' }],
  })

  const { payments: announced, retractions } = await ingest(retraction)
  t.match(announced, [{ slot: second.slot, trackingId: 'order-1' }], 'it is announced with the retraction')
  t.match(retractions, [{ slot: first.slot, trackingId: 'order-1' }])
  t.same(await check(), inTheEnd)
})

type Case = Awaited<ReturnType<typeof openCase>>
const ORDERS: [string, (of: Case) => object[][]][] = [
  [
    'the second appearance comes twice',
    ({ first, second, retraction }) => [[first], [second], [second], [retraction]],
  ],
  [
    'the second appearance and the retraction share a batch',
    ({ first, second, retraction }) => [[first], [second, retraction]],
  ],
  ['all come in one batch', ({ first, second, retraction }) => [[first, second, retraction]]],
  ['the second appearance comes first', ({ first, second, retraction }) => [[second], [first], [retraction]]],
  ['the retraction comes first', ({ first, second, retraction }) => [[retraction], [second], [first]]],
  [
    'everything comes again',
    ({ first, second, retraction }) => [[first], [second], [retraction], [first, second, retraction]],
  ],
  // Each copy of the first was once taken for a new event, under an id that was in use.
  [
    'both come again, and the second appearance was stored first',
    ({ first, second, retraction }) => [[second], [retraction], [first], [first], [second], [first]],
  ],
]

for (const [title, batchesOf] of ORDERS) {
  t.test(`the end is the same when ${title}`, async t => {
    const opened = await openCase()
    for (const batch of batchesOf(opened)) await ingest(...batch)
    t.same(await opened.check(), opened.inTheEnd)
  })
}
