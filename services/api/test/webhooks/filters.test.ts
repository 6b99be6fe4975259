// A webhook with filters gets each of its payments, and no other, in whatever order their facts become known.
import { DEFAULT_PROGRAM_ID } from '@payment-tracking/contracts'
import { derivePolicy, deriveUserPayment } from '@payment-tracking/domain'
import t from 'tap'
import { openApi } from '../open-api.js'
import { keyOf, memoOf, NO_POLICY, subscriptionOf, tellChain } from '../tell-chain.js'

const NOW = Math.floor(Date.now() / 1000)
const api = await openApi(t)
const { pool } = api.database
const chain = tellChain(api.store)
const [mint, recipient] = [keyOf('mint'), keyOf('recipient')]

/** A gateway with a policy of which nothing is known yet. */
async function openGateway(name: string) {
  const gateway = keyOf(`gateway ${name}`)
  const owner = keyOf(`owner ${name}`)
  const userPayment = deriveUserPayment(DEFAULT_PROGRAM_ID, owner, mint)
  const policy = derivePolicy(DEFAULT_PROGRAM_ID, userPayment, 1)
  return {
    policy,
    /** @returns what the webhook was told: types, recipients and tokens */
    addWebhook: async (filters: object | null, types: string[] = [], finality = 'confirmed') => {
      const { rows } = await pool.query<{ id: string }>(
        `insert into webhooks (gateway, endpoint_url, secret, filters, event_types, finality)
         values ($1, 'https://shop.example', 'whsec_x', $2, $3, $4) returning id`,
        [gateway, filters, types, finality],
      )
      return async () =>
        (
          await pool.query<{ type: string; body: string }>(
            'select type, body from deliveries where webhook_id = $1 order by id',
            [rows[0]!.id],
          )
        ).rows.map(({ type, body }) => {
          const { data } = JSON.parse(body)
          return [type, data.recipient, data.tokenMint]
        })
    },
    pay: (slot?: number, amount = '100') =>
      chain.say(
        'PaymentRecord',
        {
          payment_policy: policy,
          gateway,
          amount,
          timestamp: String(NOW),
          memo: memoOf('order-1'),
          record_id: 1,
        },
        NOW,
        slot === undefined ? {} : { slot },
      ),
    sayPolicy: (slot?: number, index = 0) =>
      chain.say(
        'PaymentPolicyCreated',
        {
          user_payment: userPayment,
          recipient,
          gateway,
          policy_id: 1,
          policy_type: subscriptionOf(),
          memo: memoOf('order-1'),
        },
        NOW - 60,
        slot === undefined ? { slot: 1 } : { slot, index },
      ),
    sayUserPayment: () =>
      chain.say('UserPaymentCreated', { owner, token_account: keyOf('account'), token_mint: mint }, NOW - 90),
  }
}

const waitingOf = async (policy: string): Promise<number> =>
  (await pool.query(`select 1 from waiting_messages where waits_for = 'facts' and policy = $1`, [policy]))
    .rowCount!
const PAID = 'payment.executed'

t.test('a payment that came before its policy waits for the facts that the filters need', async t => {
  const { policy, addWebhook, pay, sayPolicy, sayUserPayment } = await openGateway('late')
  const every = await addWebhook(null)
  const mine = await addWebhook({ recipient, tokenMint: mint, minAmount: '100' })
  const ofRecipient = await addWebhook({ recipient, trackingIdPrefix: 'order' })
  const final = await addWebhook({ recipient }, [], 'finalized')
  const strangers = await Promise.all(
    [
      { recipient: keyOf('another') },
      { tokenMint: keyOf('another') },
      { tokenMint: mint, minAmount: '101' },
      { recipient, trackingIdPrefix: 'x' },
    ].map(filters => addWebhook(filters)),
  )
  await pay()
  t.same(await every(), [[PAID, null, null]])
  t.same([...(await mine()), ...(await ofRecipient())], [])
  await sayPolicy()
  t.same(await ofRecipient(), [[PAID, recipient, null]])
  t.same(await mine(), [], 'the token is not known yet')
  await sayUserPayment()
  t.same(await mine(), [[PAID, recipient, mint]])
  t.same(await final(), [])
  await chain.finalize()
  t.same(await final(), [[PAID, recipient, mint]])
  await chain.repeat()
  for (const told of [every, mine, ofRecipient, final]) t.equal((await told()).length, 1)
  for (const told of strangers) t.same(await told(), [])
  t.equal(await waitingOf(policy), 0)
})

t.test('a payment that is final before its policy is known waits as well', async t => {
  const { policy, addWebhook, pay, sayPolicy } = await openGateway('final')
  const final = await addWebhook({ recipient }, [], 'finalized')
  await pay()
  await chain.finalize()
  t.same(await final(), [])
  t.equal(await waitingOf(policy), 1)
  await sayPolicy()
  t.same(await final(), [[PAID, recipient, null]])
})

t.test('a payment whose place becomes known belongs to its policy from then on', async t => {
  const { addWebhook, pay, sayPolicy } = await openGateway('moved')
  const ofRecipient = await addWebhook({ recipient })
  await sayPolicy(900_000, 3)
  const payment = await pay(900_000)
  t.same(await ofRecipient(), [], 'the payment stands before its policy')
  await chain.repeat({ transaction_index: 9 }, payment)
  t.same(await ofRecipient(), [[PAID, recipient, null]])
})

t.test('what is retracted while it waits is never told', async t => {
  const { policy, addWebhook, pay, sayPolicy } = await openGateway('retracted')
  const ofRecipient = await addWebhook({ recipient })
  const payment = await pay()
  t.equal(await waitingOf(policy), 1)
  await chain.retract(payment)
  t.equal(await waitingOf(policy), 0)
  await sayPolicy()
  t.same(await ofRecipient(), [])
})

t.test('a direct transfer without a recipient has nothing to wait for', async t => {
  const { addWebhook } = await openGateway('direct')
  const ofRecipient = await addWebhook({ recipient })
  const gateway = keyOf('gateway direct')
  await chain.say(
    'PaymentRecord',
    {
      payment_policy: NO_POLICY,
      gateway,
      amount: '1',
      timestamp: String(NOW),
      memo: memoOf('x'),
      record_id: 0,
    },
    NOW,
  )
  t.same(await ofRecipient(), [])
  t.equal(await waitingOf(NO_POLICY), 0)
})

t.test('life-cycle messages wait until the token of their policy is known', async t => {
  const { policy, addWebhook, sayPolicy, sayUserPayment } = await openGateway('life')
  const types = ['subscription.created', 'subscription.paused']
  const mine = await addWebhook({ tokenMint: mint }, types)
  const final = await addWebhook({ tokenMint: mint }, types, 'finalized')
  const stranger = await addWebhook({ tokenMint: keyOf('another') }, types)
  await chain.finalize()
  await sayPolicy(2_000_000)
  await chain.say(
    'PaymentPolicyStatusChanged',
    { payment_policy: policy, old_status: { Active: null }, new_status: { Paused: null } },
    NOW,
    { slot: 2_000_001 },
  )
  t.same(await mine(), [])
  await sayUserPayment()
  const told = types.map(type => [type, recipient, mint])
  t.same(await mine(), told)
  t.same([...(await stranger()), ...(await final())], [])
  t.equal(await waitingOf(policy), 0)
})
