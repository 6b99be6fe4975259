// The further routes and filters that clients of the incumbent use.
import t from 'tap'
import { openApi } from './open-api.js'
import { keyOf, memoOf, subscriptionOf, openChain } from './open-chain.js'

const AT = 1_790_000_000
const api = await openApi(t, { RATE_LIMIT_MAX: '100000' })
const chain = openChain(api.store)
const policy = await chain.policy({ owner: keyOf('me'), type: subscriptionOf(), at: AT, memo: 'mine' })
await chain.pay(policy, AT + 5, { amount: 10 })
await chain.pay(policy, AT + 6, { amount: 13 })
const composable = keyOf('composable')
await chain.say(
  'ComposablePolicyCreated',
  {
    composable_policy: composable,
    user_payment: keyOf('account'),
    gateway: policy.gateway,
    recipient: policy.recipient,
    policy_id: 1,
    policy_type: subscriptionOf(),
    memo: memoOf('swap').slice(0, 32),
    forward_config: { input_mint: keyOf('in'), output_mint: keyOf('out') },
  },
  AT,
)
await chain.say(
  'ComposableExecuted',
  {
    composable_policy: composable,
    gateway: policy.gateway,
    target_program: keyOf('swapper'),
    input_amount: '5',
    output_amount: '4',
    gateway_fee: '0',
    protocol_fee: '0',
    recipient: policy.recipient,
    timestamp: String(AT + 9),
    record_id: 1,
  },
  AT + 9,
)
await chain.say(
  'PaymentPolicyDeleted',
  { payment_policy: keyOf('gone'), owner: keyOf('leaver'), policy_id: 3 },
  AT,
)
await chain.say(
  'ReferralRewardDistributedRecord',
  {
    payment_policy: policy.address,
    gateway: policy.gateway,
    payment_amount: '10',
    timestamp: '1',
    rewards: [],
  },
  AT,
)
await chain.say('ProgramConfigCreated', { admin: keyOf('admin'), odd: '\0' }, AT)

t.test('policies of each family, by the lookups of subscriptions and by address', async t => {
  const { body } = await api.get('/v1/payment-policies?trackingId=mine')
  t.match(body, {
    success: true,
    data: [{ policyAccount: policy.address, family: 'regular', status: 'active' }],
  })
  const lookup = `recipient=${policy.recipient}`
  t.equal((await api.get(`/v1/payment-policies?${lookup}`)).body.data.length, 1)
  t.match((await api.get(`/v1/composable-policies?${lookup}`)).body.data, [
    { policyAccount: composable, family: 'composable', tokenMint: keyOf('in') },
  ])
  t.same((await api.get('/v1/payment-policies?trackingId=nobody')).body.data, [], 'none is no 404')
  t.match(await api.get('/v1/payment-policies'), { status: 400, body: { code: 'LOOKUP_MISSING' } })
  const ofPolicy = (await api.get(`/v1/payment-policies/${policy.address}`)).body.data
  t.match(ofPolicy, { memo: 'mine', paymentCount: 2 })
  t.equal((await api.get(`/v1/composable-policies/${policy.address}`)).status, 404, 'of the other family')
  t.equal((await api.get('/v1/payment-policies/x')).status, 400)
  const executions = await api.get(`/v1/payment-policies/${policy.address}/executions?limit=1`)
  t.match(executions.body.data, [{ eventName: 'PaymentRecord', data: { amount: '13' } }])
  t.ok(executions.headers.link)
  t.match((await api.get(`/v1/composable-policies/${composable}/executions`)).body.data, [
    { eventName: 'ComposableExecuted', amountString: '5' },
  ])
})

t.test('events by name, in both spellings', async t => {
  for (const name of ['PaymentRecord', 'tributary_PaymentRecord'])
    t.equal((await api.get(`/v1/events/typed/${name}`)).body.length, 2)
  t.equal((await api.get('/v1/events/typed/no-name')).status, 400)
  const tributaryNames = (await api.get('/v1/events/names/tributary')).body
  t.same(
    tributaryNames,
    (await api.get('/v1/events/names')).body.map((name: string) => `tributary_${name}`),
  )
})

t.test('rare events, by the fields of their data', async t => {
  const count = async (url: string) => (await api.get(`/v1/events/${url}`)).body.length
  t.equal(await count(`policies/deleted?owner=${keyOf('leaver')}`), 1)
  t.equal(await count(`policies/deleted?owner=${keyOf('me')}`), 0)
  t.equal(await count(`user-payments/created?owner=${keyOf('me')}&tokenMint=${policy.mint}`), 1)
  t.equal(await count(`user-payments/created?owner=${keyOf('me')}&tokenMint=${keyOf('other')}`), 0)
  t.equal(await count(`referrals/rewards?gateway=${policy.gateway}&paymentPolicy=${policy.address}`), 1)
  t.equal(await count(`referrals/rewards?gateway=${keyOf('other')}`), 0)
  t.equal(await count('program/config-created'), 1)
  t.equal(await count(`program/config-created?admin=${keyOf('admin')}`), 0, 'an escaped NUL has no fields')
})

t.test('statistics name the average twice, and the document is there as YAML', async t => {
  const ofNone = (await api.get(`/v1/events/payments/stats?gateway=${keyOf('none')}`)).body
  t.match(ofNone, { averageAmount: 0, averagePayment: 0 })
  const yaml = await api.get('/openapi.yaml')
  t.match(yaml.text, /^openapi: 3\.1\.0\n[^]*\n {2}\/v1\/tokens\/issue:\n/)
  t.match(yaml.headers['content-type'], /yaml/)
  t.same(Object.keys((await api.get('/openapi.json')).body.webhooks), [
    ...['payment.executed', 'payment.retracted', 'subscription.created', 'subscription.paused'],
    ...['subscription.resumed', 'subscription.completed', 'subscription.deleted', 'subscription.due_soon'],
    ...['subscription.overdue', 'subscription.expired', 'subscription.at_risk'],
    ...['subscription.at_risk_cleared', 'expectation.paid', 'expectation.underpaid', 'expectation.overpaid'],
    ...['expectation.expired', 'expectation.reopened'],
    ...['webhook.failing', 'webhook.deactivated', 'webhook.test'],
  ])
})
