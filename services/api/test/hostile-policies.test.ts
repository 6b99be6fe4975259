// Nobody can put a value on the chain that breaks what is shared: policies of every type, with every number of theirs at
// its bounds, stand beside an honest gateway's, in the same lists, figures, looks and tasks. All are driven over the same
// policies, so they are one file of more than 300 lines.
import fc from 'fast-check'
import { listQuarantined, readStreamHead } from '@payment-tracking/store/core'
import {
  findStaleTrackings,
  listClaimablePayments,
  listClaimablePolicies,
  listEventsAfter,
  readPaymentsBySeq,
  readRecentRetractions,
  readRetractionsOf,
  readTrackedPolicies,
  readHeadsWithEpoch,
} from '@payment-tracking/store/reads'
import {
  rebuildProjections,
  runTaskPage,
  sweepAnnouncements,
  sweepBatches,
} from '@payment-tracking/store/ingest'
import { notifyDuePolicies } from '@payment-tracking/store/messages'
import { DEFAULT_PROGRAM_ID } from '@payment-tracking/contracts'
import { insertWebhook } from '@payment-tracking/testkit'
import t from 'tap'
import { makeSigningKeys } from './gateway-auth/make-signing-keys.js'
import { signInDirectly } from './merchant/sign-in-directly.js'
import { openApi } from './open-api.js'
import { keyOf, memoOf, openChain, type StoredPolicy } from './open-chain.js'
import { makeCheckoutKey } from './checkout/make-checkout-keys.js'

const DAY = 86_400
t.setTimeout(600_000)
const NOW = Math.floor(Date.now() / 1000)
const keys = makeSigningKeys()
const api = await openApi(
  t,
  {
    RATE_LIMIT_MAX: '100000',
    JWT_PRIVATE_KEYS: keys,
    CHECKOUT_TOKEN_KEYS: JSON.stringify([makeCheckoutKey()]),
  },
  () => NOW * 1000,
)
const { pool } = api.database
const chain = openChain(api.store)
const merchants = {
  honest: await signInDirectly(chain, keys, 'honest'),
  hostile: await signInDirectly(chain, keys, 'hostile'),
}
const [honest, hostile] = [merchants.honest.gateway, merchants.hostile.gateway]
const ALL = [
  'created',
  'paused',
  'resumed',
  'completed',
  'deleted',
  'due_soon',
  'overdue',
  'expired',
  'payment_failed',
]
for (const gateway of [honest, hostile])
  await insertWebhook(pool, gateway, {
    types: ['payment.executed', ...ALL.map(name => `subscription.${name}`)],
  })

// By the kind of integer, the values at its bounds. Those of another kind are refused at the door.
const U8 = [0n, 1n, 2n ** 8n - 1n]
const U32 = [0n, 1n, 2n ** 32n - 1n]
const U64 = [0n, 1n, 2n ** 63n - 1n, 2n ** 63n, 2n ** 64n - 1n]
const I64 = [
  -(2n ** 63n),
  -(2n ** 63n) + 1n,
  -1n,
  0n,
  1n,
  BigInt(NOW),
  253_402_300_799n,
  2n ** 63n - 2n,
  2n ** 63n - 1n,
]
const of = (values: readonly bigint[]) => fc.constantFrom(...values).map(String)
const small = (values: readonly bigint[]) => fc.constantFrom(...values).map(Number)
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value)
const frequency = fc.oneof(
  fc.constantFrom({ Daily: null }, { Weekly: null }, { Monthly: null }, { Annually: null }, { Never: null }),
  fc.record({ Custom: of(U64) }),
)
const TYPES: Record<string, fc.Arbitrary<object>> = {
  Subscription: fc.record({
    amount: of(U64),
    auto_renew: fc.boolean(),
    max_renewals: maybe(small(U32)),
    payment_frequency: frequency,
    next_payment_due: of(I64),
  }),
  PayAsYouGo: fc.record({
    max_amount_per_period: of(U64),
    max_chunk_amount: of(U64),
    period_length_seconds: of(U64),
    current_period_start: of(I64),
    current_period_total: of(U64),
    expiry_date: maybe(of(I64)),
  }),
  OneTime: fc.record({ amount: of(U64), due_date: of(I64), expiry_date: maybe(of(I64)) }),
  UpTo: fc.record({ max_amount: of(U64), valid_after: of(I64), deadline: of(I64) }),
  Milestone: fc.record({
    milestone_amounts: fc.array(of(U64), { minLength: 4, maxLength: 4 }),
    milestone_timestamps: fc.array(of(I64), { minLength: 4, maxLength: 4 }),
    current_milestone: small(U8),
    total_milestones: small(U8),
    escrow_amount: of(U64),
    release_condition: small(U8),
  }),
  Barter: fc.record({ goods: of(U64), owed: of(I64) }),
}
const payment = fc.record({ amount: of(U64), timestamp: of(I64), record_id: small(U32) })
const story = fc.record({
  name: fc.constantFrom(...Object.keys(TYPES)),
  payments: fc.array(payment, { maxLength: 3 }),
  status: fc.constantFrom(null, 'Paused', 'Unheard'),
  id: fc.constantFrom(0, 1, 2 ** 32 - 1),
})
const stories = fc.sample(
  story.chain(played => TYPES[played.name]!.map(fields => ({ ...played, fields }))),
  { numRuns: Number(process.env.HOSTILE_POLICIES ?? 60), seed: Number(process.env.SEED ?? 26) },
)

const LIMITS = { soonSeconds: 3 * DAY, graceSeconds: 7_200, limit: 40 }
const played: StoredPolicy[] = []
const walletOf = (n: number) => keyOf(`hostile wallet ${n}`)

async function drive(work: () => Promise<unknown>): Promise<void> {
  await work()
  while ((await runTaskPage(api.store, { programId: DEFAULT_PROGRAM_ID })).length > 0);
}

/** Stores the hostile policies; `late` tells each payment before its policy. */
async function playStories(): Promise<void> {
  for (const [n, { name, fields, payments, status, id }] of stories.entries()) {
    const policy = await chain.policy({
      gateway: hostile,
      owner: walletOf(n),
      memo: `hostile-${n}`,
      id,
      at: NOW - 30 * DAY,
      type: { [name]: fields },
    })
    played.push(policy)
    const named = { payment_policy: policy.address }
    for (const data of payments)
      await chain.say(
        'PaymentRecord',
        { ...named, gateway: hostile, memo: memoOf(policy.memo), ...data },
        NOW - DAY,
      )
    if (payments.length > 1)
      // One that comes late, so that the policy is recomputed.
      await chain.say(
        'PaymentRecord',
        { ...named, gateway: hostile, memo: memoOf(policy.memo), ...payments[0]!, record_id: 7 },
        NOW - 2 * DAY,
        { slot: 900 },
      )
    if (status !== null) await chain.change(policy.address, status, NOW - DAY)
    await playOthers(n, { type: { [name]: fields }, id, payments, recipient: policy.recipient })
  }
}

/** The same of the other family, and transfers without a policy, of which the chain takes back every other. */
async function playOthers(
  n: number,
  {
    type,
    id,
    payments,
    recipient,
  }: {
    type: object
    id: number
    payments: readonly { amount: string; timestamp: string; record_id: number }[]
    recipient: string
  },
): Promise<void> {
  const policy = { composable_policy: keyOf(`composable ${n}`), gateway: hostile, recipient }
  await chain.say(
    'ComposablePolicyCreated',
    {
      ...policy,
      user_payment: keyOf('account'),
      policy_id: id,
      policy_type: type,
      memo: memoOf(`hostile-${n}`).slice(0, 32),
      forward_config: { input_mint: keyOf('in'), output_mint: keyOf('out') },
    },
    NOW - 30 * DAY,
  )
  for (const { amount, ...paid } of payments) {
    const sums = { input_amount: amount, output_amount: amount, gateway_fee: amount, protocol_fee: amount }
    await chain.say(
      'ComposableExecuted',
      { ...policy, target_program: keyOf('p'), ...sums, ...paid },
      NOW - DAY,
    )
  }
  for (const payment of payments.slice(0, 1)) {
    const direct = { gateway: hostile, memo: memoOf(`hostile-${n}`), payer: walletOf(n), recipient }
    const signature = await chain.transfer({ ...direct, ...payment }, NOW - DAY)
    if (n % 2 === 0) await chain.retract(signature)
  }
}

const subscription = (due: number) => ({
  Subscription: {
    amount: '1000',
    auto_renew: true,
    max_renewals: null,
    payment_frequency: { Weekly: null },
    next_payment_due: String(due),
  },
})
const open = (memo: string, due: number) =>
  chain.policy({
    gateway: honest,
    owner: keyOf(`honest ${memo}`),
    memo,
    at: NOW - 60 * DAY,
    type: subscription(due),
  })

await open('soon', NOW + 2 * DAY)
await open('overdue', NOW - DAY)
const paid = await open('paid', NOW - 8 * DAY)
await chain.pay(paid, NOW - 6 * DAY)
await drive(playStories)

const notifyAll = () => notifyDuePolicies(api.store, LIMITS)

t.test('tasks', async t => {
  await notifyAll()
  const { rows } = await pool.query<{ type: string }>(
    `select d.type from deliveries d join webhooks w on w.id = d.webhook_id
      where w.gateway = $1 and d.type in ('subscription.due_soon', 'subscription.overdue') order by 1`,
    [honest],
  )
  t.same(
    new Set(rows.map(({ type }) => type)),
    new Set(['subscription.due_soon', 'subscription.overdue']),
    'the honest gateway is notified of what is due',
  )
  await chain.finalize()
  await drive(() => rebuildProjections(api.store, { programId: DEFAULT_PROGRAM_ID }))
  await notifyAll()
  const nothing = () => Promise.resolve()
  await sweepBatches(api.store, { olderThanMs: 0, limit: 20 }, nothing)
  await sweepAnnouncements(api.store, { olderThanMs: 0, limit: 500 }, nothing)
  t.same(await listQuarantined(api.store, 100), [], 'no value made a page of work fail')
})

t.test('what sockets and streams replay', async t => {
  const trackingIds = ['soon', 'paid', ...stories.map((_, n) => `hostile-${n}`)]
  const { heads } = await readHeadsWithEpoch(api.store, trackingIds)
  const ranges = [...heads].map(([trackingId, head]) => ({ trackingId, from: 1, to: Number(head) }))
  t.ok(ranges.length > 1)
  const replayed = await readPaymentsBySeq(api.store, ranges)
  t.ok(replayed.length >= ranges.length)
  await readRetractionsOf(api.store, trackingIds)
  await readRecentRetractions(api.store, 3_600_000).next()
  const { position } = await readStreamHead(api.store)
  const streamed = await listEventsAfter(api.store, { after: 0n, upTo: position, limit: 10_000 }, new Map())
  t.equal(BigInt(streamed.length), position)
})

t.test('checks of realtime and checkout', async t => {
  const trackingIds = ['soon', 'overdue', 'paid', ...stories.map((_, n) => `hostile-${n}`)]
  const policies = await readTrackedPolicies(api.store, { trackingIds, addresses: [], ...LIMITS })
  t.ok(policies.length > 3)
  await findStaleTrackings(
    api.store,
    trackingIds.map(trackingId => ({ trackingId, seq: 0 })),
  )
  for (const [n] of stories.entries()) {
    await listClaimablePolicies(api.store, { trackingId: `hostile-${n}` }, 10)
    await listClaimablePayments(api.store, { trackingId: `hostile-${n}` }, 10)
  }
})

/** The widest, one that cuts days, and one long ago. */
const SPANS = [
  'startTime=1970-01-01&endTime=9999-12-31',
  `startTime=${new Date((NOW - 40 * DAY) * 1000).toISOString()}&endTime=${new Date((NOW - 60) * 1000).toISOString()}`,
  'startTime=1970-01-01T00:00:00.001Z&endTime=1970-01-02T00:30:00Z',
]

t.test('lists and figures', async t => {
  const paths = (gateway: string, trackingIds: readonly string[], wallets: readonly string[]): string[] => [
    ...['subscriptions', 'payment-policies'].flatMap(list => [
      `/v1/${list}?gatewayPublicKey=${gateway}`,
      ...trackingIds.map(trackingId => `/v1/${list}?trackingId=${trackingId}`),
      ...wallets.map(wallet => `/v1/${list}?userPublicKey=${wallet}`),
    ]),
    ...['', '/payments', '/policies/created', '/policies/status-changed'].map(
      list => `/v1/events${list}?${list === '/policies/status-changed' ? '' : `gateway=${gateway}`}`,
    ),
    ...trackingIds.flatMap(trackingId => [
      `/v1/onetime/${trackingId}`,
      `/v1/payments/check?trackingId=${trackingId}&amount=1&recipient=${gateway}&tokenMint=${gateway}`,
      `/v1/events?trackingId=${trackingId}`,
    ]),
    ...['', ...trackingIds.slice(0, 5).map(id => `&trackingId=${id}`)].map(
      more => `/v1/composable-policies?gatewayPublicKey=${gateway}${more}`,
    ),
    ...SPANS.flatMap(span => [
      `/v1/events/count?${span}`,
      `/v1/events?${span}`,
      `/v1/events/payments/stats?gateway=${gateway}&${span}`,
      `/v1/events/payments/stats?${span}`,
    ]),
    ...[
      '/v1/events/count',
      '/v1/events/names',
      '/v1/events/payments/stats',
      '/v1/overview',
      '/v1/token-mints',
    ],
    ...[`/v1/events/payments/stats?gateway=${gateway}`, `/v1/overview?gateway=${gateway}`],
  ]
  const asMerchant = (gateway: string): string[] => [
    ...SPANS.map(span => `/v1/gateway/${gateway}/merchant/revenue?${span}&bucket=month`),
    ...['', '?neverPaid=true', '?neverPaid=true&limit=1'].map(
      more => `/v1/gateway/${gateway}/merchant/subscribers${more}`,
    ),
    '/v1/webhooks',
    ...['policies', 'subscribers', 'revenue', 'upcoming', 'cohorts'].map(
      page => `/v1/gateway/${gateway}/merchant/${page}`,
    ),
    ...['hour', 'day', 'week', 'month'].map(
      bucket => `/v1/gateway/${gateway}/merchant/revenue?bucket=${bucket}`,
    ),
    ...['policies', 'subscribers', 'revenue', 'payments', 'upcoming'].map(
      kind => `/v1/gateway/${gateway}/merchant/export/${kind}`,
    ),
  ]
  const hostileIds = stories.map((_, n) => `hostile-${n}`)
  const asked = [
    ...paths(honest, ['soon', 'overdue', 'paid'], []),
    ...paths(
      hostile,
      hostileIds,
      stories.map((_, n) => walletOf(n)),
    ),
  ]
  const failed: string[] = []
  const see = async (url: string, headers: Record<string, string> = {}) => {
    const { status, text } = await api.get(url, { headers })
    // 404 is the answer about what is not there, and 400 that a span is too long for a bucket.
    if (status >= 500 || status === 401 || status === 403)
      failed.push(`${url}: ${status} ${text.slice(0, 200)}`)
  }
  for (const url of asked) await see(url)
  for (const { gateway, headers } of Object.values(merchants))
    for (const url of asMerchant(gateway)) await see(url, headers)
  t.same(failed, [])
  const { body } = await api.get(`/v1/subscriptions?gatewayPublicKey=${honest}`)
  t.equal(body.data.length ?? body.data.subscriptions?.length, 3)
})

t.test('proofs of payment', async t => {
  // Each from an address of its own: an address may ask for so many a minute.
  let asked = 0
  const prove = (payload: object) => {
    asked += 1
    const remoteAddress = `10.0.${asked >> 8}.${asked & 255}`
    return api.app.inject({ method: 'POST', url: '/v1/tokens/issue', payload, remoteAddress })
  }
  const failed: string[] = []
  for (const { address, owner, recipient, memo } of played)
    for (const payload of [
      { walletPublicKey: owner },
      { recipient, trackingId: memo },
      { walletPublicKey: owner, policyAddress: address },
    ]) {
      const { statusCode, body } = await prove(payload)
      if (statusCode !== 200 && statusCode !== 404) failed.push(`${JSON.stringify(payload)}: ${body}`)
    }
  t.same(failed, [])
  const answer = await prove({ walletPublicKey: paid.owner })
  t.equal(answer.statusCode, 200, 'the honest payer has a proof')
})
