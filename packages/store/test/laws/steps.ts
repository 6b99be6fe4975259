// What happens in a small world, as fast-check draws it. histories.ts gives it chain positions.
import fc from 'fast-check'

export const FREQUENCIES = [
  'Daily',
  'Weekly',
  'Monthly',
  'Quarterly',
  'SemiAnnually',
  'Annually',
  'Fortnightly',
]
export const STATUSES = ['Paused', 'Active', 'Completed', 'Frozen']
/** The memos of a world: two texts, nothing, and bytes that are no text. */
export const MEMOS = ['a', 'b', 'none', 'bad'] as const
export type MemoName = (typeof MEMOS)[number]

const amount = fc.oneof(
  { weight: 3, arbitrary: fc.bigInt(0n, 200n) },
  { weight: 1, arbitrary: fc.bigInt(0n, 2n ** 64n - 1n) },
)
const gateway = fc.constantFrom(0, 0, 1)
const policy = fc.constantFrom(0, 0, 0, 1, 2, 2)
const memo = fc.constantFrom<MemoName[]>('a', 'a', 'b', 'none', 'bad')
/** Seconds from the time of the world's beginning. */
const moment = fc.constantFrom(-86_400, 0, 3_600, 86_400, 40 * 86_400, -(2 ** 31))

const frequency = fc.oneof(
  fc.constantFrom(...FREQUENCIES).map(name => ({ name, seconds: null })),
  fc.constantFrom(0n, 3_600n, 262_800n, 2n ** 64n - 1n).map(seconds => ({ name: 'Custom', seconds })),
)

export const policyTypes = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('Subscription' as const),
      autoRenew: fc.boolean(),
      maxRenewals: fc.option(fc.integer({ min: 1, max: 3 })),
      frequency,
      firstDue: moment,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('Milestone' as const),
      current: fc.nat(1),
      total: fc.integer({ min: 1, max: 3 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('PayAsYouGo' as const),
      length: fc.constantFrom(60n, 3_600n, 86_400n),
      start: moment,
      total: fc.bigInt(0n, 50n),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constantFrom('OneTime' as const, 'UpTo' as const, 'Barter' as const) }),
  },
)
export type PolicyType = typeof policyTypes extends fc.Arbitrary<infer T> ? T : never

/** Details of a payment that its own event may carry. */
const own = fc.record({
  payer: fc.boolean(),
  recipient: fc.option(fc.nat(1), { freq: 1 }),
  mint: fc.option(fc.nat(1), { freq: 1 }),
})

const named = <K extends string, T>(kind: K, shape: { [P in keyof T]: fc.Arbitrary<T[P]> }) =>
  fc.record({ kind: fc.constant(kind), ...shape }) as unknown as fc.Arbitrary<{ kind: K } & T>

const actions = fc.oneof(
  { weight: 2, arbitrary: named('gateway created', { gateway }) },
  // What webhooks of a deleted gateway are sent depends on the order of arrival: this says less of them.
  { weight: 1, arbitrary: named('gateway deleted', { gateway: fc.constant(1) }) },
  { weight: 1, arbitrary: named('signer changed', { gateway, signer: fc.nat(1) }) },
  { weight: 3, arbitrary: named('user payment created', { userPayment: fc.nat(1) }) },
  { weight: 1, arbitrary: named('user payment deleted', { userPayment: fc.nat(1) }) },
  {
    weight: 8,
    arbitrary: named('policy created', { policy, gateway, recipient: fc.nat(1), memo, type: policyTypes }),
  },
  { weight: 2, arbitrary: named('policy deleted', { policy }) },
  { weight: 4, arbitrary: named('status changed', { policy, status: fc.constantFrom(...STATUSES) }) },
  {
    weight: 14,
    arbitrary: named('payment', {
      policy,
      gateway,
      amount,
      memo,
      own,
      // A payment's own time need not be the block's.
      later: fc.constantFrom(0, 0, 0, 30, -7_200),
    }),
  },
  { weight: 3, arbitrary: named('transfer', { gateway, amount, memo, own }) },
  {
    weight: 1,
    arbitrary: named('other', { name: fc.constantFrom('EmergencyPauseChanged', 'SomethingNew') }),
  },
)
export type Action = typeof actions extends fc.Arbitrary<infer T> ? T : never

/** Another message about the same event. */
const copy = fc.record({
  knowsPosition: fc.boolean(),
  finalized: fc.constantFrom(false, false, true),
  tagged: fc.boolean(),
})
export type Copy = typeof copy extends fc.Arbitrary<infer T> ? T : never

const key = fc.noShrink(fc.nat(2 ** 31 - 1))

/** One event with all that is published of it. */
export const steps = fc.record({
  key,
  action: actions,
  /** where the event stands: in a new slot, in a transaction of its own in the same slot, or in the same transaction */
  joins: fc.constantFrom('none', 'none', 'none', 'slot', 'transaction'),
  /** seconds since the slot before */
  pause: fc.constantFrom(1, 60, 3_600, 86_400, 31 * 86_400),
  copies: fc.array(copy, { minLength: 1, maxLength: 3, size: 'max' }),
  /** a last message of the event's identity that says something else */
  contradiction: fc.option(fc.constantFrom('data', 'time', 'slot'), { freq: 7 }),
  /** what becomes of the transaction that the event begins */
  fate: fc.constantFrom('valid', 'valid', 'valid', 'valid', 'retracted', 'returns', 'returned before'),
})
export type Step = typeof steps extends fc.Arbitrary<infer T> ? T : never

const FILTERS = [
  null,
  { recipient: 0 },
  { recipient: 1 },
  { mint: 0 },
  { mint: 1, minAmount: 100n },
  { prefix: true },
] as const

/** What a webhook of one of the world's gateways asks for. */
export const webhooks = fc.record({
  gateway,
  types: fc.constantFrom('default', 'all', 'all', 'payments', 'policies', 'executed'),
  finality: fc.constantFrom('confirmed' as const, 'finalized' as const),
  filter: fc.constantFrom(...FILTERS),
  /** its deliveries are tried after each batch */
  tried: fc.boolean(),
})
export type WebhookPlan = typeof webhooks extends fc.Arbitrary<infer T> ? T : never

/** What the indexer says of the chain itself: everything up to this slot, counted from the first, is final. */
export const marks = fc.array(fc.record({ key, slot: fc.nat(80) }), { maxLength: 3, size: 'max' })
export type Marks = typeof marks extends fc.Arbitrary<infer T> ? T : never

export const worlds = fc.record({
  steps: fc.array(steps, { minLength: 5, maxLength: 18, size: 'max' }),
  webhooks: fc.array(webhooks, { minLength: 1, maxLength: 6, size: 'max' }),
})
export type World = typeof worlds extends fc.Arbitrary<infer T> ? T : never
