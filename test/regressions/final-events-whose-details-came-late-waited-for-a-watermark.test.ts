// A life-cycle event whose own message says that it is final, and whose token became known later, was taken for not final: a
// webhook that waits for finality got it only when the watermark passed its slot. Where no watermark comes, later is never. The same
// held for payments: packages/store/test/messages/routes.test.ts.
import { DEFAULT_SUBJECT_PREFIX, subjectOf } from '@payment-tracking/contracts'
import {
  buildAddress,
  buildChain,
  insertWebhook,
  openTestStore,
  type ChainMessage,
} from '@payment-tracking/testkit'
import t from 'tap'
import { ingestSubjects } from '../../services/ingest/test/ingest-messages.js'

const { store, pool } = await openTestStore(t)
const chain = buildChain({ seed: 'late and final' })
let sequence = 0

/** Stores messages in one batch. */
const ingest = (...messages: ChainMessage[]) =>
  ingestSubjects(
    store,
    messages.map(message => ({
      subject: subjectOf(DEFAULT_SUBJECT_PREFIX, message.event_name),
      bytes: Buffer.from(JSON.stringify(message)),
    })),
    { firstSequence: (sequence += 100) },
  )
const final = (message: ChainMessage) => ({ ...message, commitment: 'finalized' })

t.test('a final life-cycle event is sent with the token that its webhook filters by', async t => {
  const gateway = await chain.openGateway()
  const mint = buildAddress('mint')
  const userPayment = await chain.openUserPayment(mint)
  const { created } = await chain.openPolicy(gateway, userPayment, { trackingId: 'order-1' })
  const types = ['subscription.created']
  await insertWebhook(pool, gateway.address, { types, filters: { tokenMint: mint }, finality: 'finalized' })
  const received = async () =>
    (await pool.query<{ type: string }>('select type from deliveries')).rows.map(({ type }) => type)
  await ingest(final(created))
  t.same(await received(), [], 'the token is not known yet')
  await ingest(userPayment.created)
  t.same(await received(), types)
})
