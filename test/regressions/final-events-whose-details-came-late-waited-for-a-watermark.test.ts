// A payment whose own message says that it is final, and whose policy came in a later batch, was taken for not final: a
// webhook that waits for finality got the payment only when the watermark passed its slot. The same held for life-cycle
// events whose token became known later. Where no watermark comes, later is never. `npm run chaos:self-test` found it.
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

async function addWebhook(gateway: string, types: string[], filters: object | null) {
  const id = await insertWebhook(pool, gateway, { types, filters, finality: 'finalized' })
  return async () => {
    const received = await pool.query<{ type: string }>(
      'select type from deliveries where webhook_id = $1 order by id',
      [id],
    )
    return received.rows.map(({ type }) => type)
  }
}

/** An execution without a memo of its own, and its policy. */
async function openComposable(label: string) {
  const [gateway, recipient] = [buildAddress(`gateway ${label}`), buildAddress('shop')]
  const composable = buildAddress(`composable ${label}`)
  const userPayment = await chain.openUserPayment()
  const created = chain.emit('ComposablePolicyCreated', {
    composable_policy: composable,
    user_payment: userPayment.address,
    recipient,
    gateway,
    policy_id: 1,
    policy_type: { variant: 'OneTime', amount: '5', due_date: '0', expiry_date: null },
    memo: [...Buffer.from('order-1'.padEnd(32, '\0'))],
    forward_config: { input_mint: buildAddress('mint'), output_mint: buildAddress('another') },
    validation: null,
  })
  const executed = chain.emit('ComposableExecuted', {
    composable_policy: composable,
    gateway,
    recipient,
    target_program: buildAddress('program'),
    input_amount: '5',
    output_amount: '5',
    gateway_fee: '0',
    protocol_fee: '0',
    timestamp: '1769900000',
    record_id: 1,
  })
  return { gateway, created, executed }
}

t.test('a final payment is sent with its policy, however late the policy comes', async t => {
  const { gateway, created, executed } = await openComposable('late')
  const received = await addWebhook(gateway, [], null)
  await ingest(final(executed))
  t.same(await received(), [], 'it has no tracking ID yet')
  await ingest(created)
  t.same(await received(), ['payment.executed'])
  await ingest(final(executed), created)
  t.same(await received(), ['payment.executed'], 'once')
})

t.test('a payment that a copy calls final in the batch of its policy is sent with it', async t => {
  const { gateway, created, executed } = await openComposable('copy')
  const received = await addWebhook(gateway, [], null)
  await ingest(executed)
  await ingest(created, final(executed))
  t.same(await received(), ['payment.executed'])
})

t.test('a payment that is not final still waits', async t => {
  const { gateway, created, executed } = await openComposable('confirmed')
  const received = await addWebhook(gateway, [], null)
  await ingest(executed)
  await ingest(created)
  t.same(await received(), [])
  await ingest(final(executed))
  t.same(await received(), ['payment.executed'])
})

t.test('a final life-cycle event is sent with the token that its webhook filters by', async t => {
  const gateway = await chain.openGateway()
  const mint = buildAddress('mint')
  const userPayment = await chain.openUserPayment(mint)
  const { created } = await chain.openPolicy(gateway, userPayment, { trackingId: 'order-1' })
  const received = await addWebhook(gateway.address, ['subscription.created'], { tokenMint: mint })
  await ingest(final(created))
  t.same(await received(), [], 'the token is not known yet')
  await ingest(userPayment.created)
  t.same(await received(), ['subscription.created'])
})
