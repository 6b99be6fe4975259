// A memo with a NUL is no tracking ID, and bodies say its text all the same. The body of a payment that its batch told at once
// had none; that of a payment whose details came later had it. `npm run chaos` found the difference.
import { createWebhook } from '@payment-tracking/store/admin'
import { buildChain, openTestStore, type ChainMessage, SENT } from '@payment-tracking/testkit'
import t from 'tap'
import { ingestSubjects } from '../../services/ingest/test/ingest-messages.js'

const chain = buildChain({ seed: 'odd memos' })

t.test('bodies say the memo of a payment, whenever its policy came', async t => {
  const gateway = await chain.openGateway()
  const userPayment = await chain.openUserPayment()
  const policy = await chain.openPolicy(gateway, userPayment, { trackingId: 'a\0b' })
  const opening = [gateway.created, userPayment.created, policy.created]
  const payment = chain.pay(policy)
  /** Stores batches. @returns the memos of the bodies */
  const memosAfter = async (...batches: ChainMessage[][]) => {
    const { store, pool } = await openTestStore(t)
    await createWebhook(store, { gateway: gateway.address, endpointUrl: 'https://a.example/', active: true })
    for (const [index, batch] of batches.entries())
      await ingestSubjects(
        store,
        batch.map(message => ({
          subject: `chain.events.${message.event_name}`,
          bytes: Buffer.from(JSON.stringify(message)),
        })),
        { firstSequence: (index + 1) * 100 },
      )
    const { rows } = await pool.query<{ memo: string }>(
      `select body::json -> 'data' ->> 'memo' as memo from ${SENT} d`,
    )
    return rows.map(({ memo }) => memo)
  }
  t.same(await memosAfter([...opening, payment]), ['a'], 'in one batch')
  t.same(await memosAfter(opening, [payment]), ['a'], 'behind its policy')
  t.same(await memosAfter([payment], opening), ['a'], 'before its policy')
})
