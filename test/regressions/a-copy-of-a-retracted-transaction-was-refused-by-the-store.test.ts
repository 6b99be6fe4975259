// The second appearance of a retracted transaction was stored first, and the retraction and the first appearance after
// it. Each further copy of the first appearance was taken for a new event, under an id that was in use: Postgres refused
// it, and a good message became a dead letter STORE_REFUSED. `npm run chaos -- --promote` found it.
import { controlSubjectOf, DEFAULT_SUBJECT_PREFIX, subjectOf } from '@payment-tracking/contracts'
import { openStore } from '@payment-tracking/store'
import { buildChain, createDatabase } from '@payment-tracking/testkit'
import t from 'tap'
import { ingestSubjects } from '../../services/ingest/test/ingest-messages.js'

t.test('copies of either appearance change nothing, whichever came first', async t => {
  const database = await createDatabase(t)
  const store = openStore({ DATABASE_URL: database.url, poolSize: 2 })
  t.teardown(() => store.close())
  const chain = buildChain({ seed: 'again' })
  const gateway = await chain.openGateway()
  const policy = await chain.openPolicy(gateway, await chain.openUserPayment(), { trackingId: 'order-1' })
  const first = chain.pay(policy)
  const second = { ...first, slot: first.slot + 10 }
  const event = (message: object) => ({
    subject: subjectOf(DEFAULT_SUBJECT_PREFIX, 'PaymentRecord'),
    bytes: Buffer.from(JSON.stringify(message)),
  })
  const { signature, slot } = first
  const retraction = {
    subject: controlSubjectOf(DEFAULT_SUBJECT_PREFIX, 'retracted'),
    bytes: Buffer.from(JSON.stringify({ signature, slot })),
  }
  let firstSequence = 1
  for (const message of [event(second), retraction, event(first), event(first), event(second), event(first)])
    await ingestSubjects(store, [message], { firstSequence: firstSequence++ })
  const { rows } = await database.pool.query<{ slot: string; retracted: boolean }>(
    'select slot::text, retracted_at is not null as retracted from events order by position',
  )
  t.same(rows, [
    { slot: String(second.slot), retracted: false },
    { slot: String(first.slot), retracted: true },
  ])
  t.equal((await database.pool.query('select from dead_letters')).rowCount, 0)
})
