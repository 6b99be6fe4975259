// What of the fold of a policy is a table, or a sum. That any order and any cut give what the oracle says, the laws hold.
import assert from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import {
  applyToPolicy,
  compareForFold,
  emptyPolicy,
  policyOutcome,
  withDifference,
  type ChainEvent,
  type Effect,
  type PolicyState,
} from '../src/index.js'
import { hold } from './hold.js'

const POLICY = 'policy'
const TERMS =
  '{"Subscription":{"amount":5,"auto_renew":true,"max_renewals":3,"next_payment_due":1000,"payment_frequency":{"Daily":null}}}'

/** An event of the policy at a place on the chain; places repeat on purpose. */
function eventAt(slot: number, serial: number, effect: Effect): ChainEvent {
  const id = serial.toString(16).padStart(32, '0')
  return {
    id,
    order: slot.toString(16).padStart(16, '0') + '0'.repeat(16) + id,
    fingerprint: id,
    slot,
    transactionIndex: 0,
    index: 0,
    commitment: 'confirmed',
    signature: '',
    name: effect.kind,
    occurredAt: new Date(slot * 1000),
    data: '{}',
    gateway: null,
    paymentPolicy: POLICY,
    userPayment: null,
    authority: null,
    recipient: null,
    trackingId: effect.kind === 'policy-created' ? `incarnation-${serial}` : null,
    effect,
  }
}

const created = (serial: number, terms = TERMS): Effect => ({
  kind: 'policy-created',
  policy: POLICY,
  family: 'regular',
  tokenMint: null,
  userPayment: 'user-payment',
  recipient: `recipient-${serial}`,
  gateway: 'gateway',
  policyId: 1,
  policyType: { name: 'Subscription', text: terms },
  memo: serial % 2 === 0 ? null : `memo \uFFFD ${serial}`,
})

const effects = fc.oneof(
  { weight: 1, arbitrary: fc.constant((serial: number) => created(serial)) },
  { weight: 1, arbitrary: fc.constant((): Effect => ({ kind: 'policy-deleted', policy: POLICY })) },
  {
    weight: 2,
    arbitrary: fc
      .constantFrom('Active', 'Paused', 'Completed', 'Frozen')
      .map(newStatus => (): Effect => ({ kind: 'policy-status-changed', policy: POLICY, newStatus })),
  },
  {
    weight: 4,
    arbitrary: fc
      .tuple(fc.bigInt(0n, 2n ** 64n - 1n), fc.bigInt(0n, 10n ** 6n))
      .map(([amount, paidAt]) => (): Effect => ({
        kind: 'payment',
        policy: POLICY,
        gateway: 'gateway',
        amount,
        paidAt,
        recordId: 1,
        recipient: null,
        payer: null,
        tokenMint: null,
        tracksPolicy: false,
      })),
  },
)
const histories = fc
  .array(fc.tuple(fc.integer({ min: 1, max: 9 }), effects), { maxLength: 14 })
  .map(events => events.map(([slot, effect], serial) => eventAt(slot, serial, effect(serial))))

const foldAll = (events: readonly ChainEvent[]): PolicyState =>
  events.toSorted(compareForFold).reduce(applyToPolicy, emptyPolicy(POLICY))

t.test('a sum moves by its difference, wherever in the incarnation a payment comes or goes', async t => {
  const terms =
    '{"PayAsYouGo":{"current_period_start":0,"current_period_total":7,"expiry_date":null,"max_amount_per_period":99,"max_chunk_amount":9,"period_length_seconds":400000}}'
  const paid = fc.record({ isPeriodic: fc.boolean(), history: histories, changed: fc.nat() })
  const property = fc.property(paid, ({ isPeriodic, history, changed }) => {
    const events = [eventAt(1, 900, created(900, isPeriodic ? terms : TERMS)), ...history]
    const payments = events.filter(({ effect }) => effect.kind === 'payment')
    const one = payments[changed % Math.max(1, payments.length)]
    if (one?.effect.kind !== 'payment') return
    const { order, effect } = one
    const [less, more] = [foldAll(events.filter(event => event !== one)), foldAll(events)]
    const sums = ({ paymentCount, totalPaid, periodStart, periodTotal }: PolicyState) => ({
      paymentCount,
      totalPaid,
      periodStart,
      periodTotal,
    })
    const added = withDifference(less, [{ order, ...effect, sign: 1n }])
    const taken = withDifference(more, [{ order, ...effect, sign: -1n }])
    if (added !== null) assert.deepEqual(sums(added), sums(more))
    if (taken !== null) assert.deepEqual(sums(taken), sums(less))
    if (!isPeriodic) assert.ok(added !== null && taken !== null, 'only a period can need a recompute')
  })
  hold(t, 'the difference is the sum', property, 500)
})

const payment = (slot: number, serial: number, amount = 5n, paidAt = BigInt(slot)): ChainEvent =>
  eventAt(slot, serial, {
    kind: 'payment',
    policy: POLICY,
    gateway: 'g',
    amount,
    paidAt,
    recordId: 1,
    recipient: null,
    payer: null,
    tokenMint: null,
    tracksPolicy: false,
  })

/** The status after so many payments. */
function statusAfter(terms: string, payments: number): string | null {
  const events = Array.from({ length: payments }, (_, at) => payment(2 + at, 2 + at, 0n))
  const state = [eventAt(1, 1, created(1, terms)), ...events].reduce(applyToPolicy, emptyPolicy(POLICY))
  return policyOutcome(state).status
}

t.test('a policy is completed when its terms leave nothing to pay', async t => {
  const subscription = (autoRenew: boolean, maxRenewals: number | null) =>
    `{"Subscription":{"amount":5,"auto_renew":${autoRenew},"max_renewals":${maxRenewals},"next_payment_due":1000,"payment_frequency":{"Daily":null}}}`
  const statuses = (terms: string) => [0, 1, 2, 3, 4].map(count => statusAfter(terms, count))
  const [a, c] = ['active', 'completed']
  t.same(statuses(subscription(true, 3)), [a, a, a, c, c])
  t.same(statuses(subscription(false, 3)), [a, c, a, c, c], 'a second payment proves an older program')
  t.same(statuses(subscription(false, null)), [a, a, a, a, a], 'without an end it never ends')
  t.same(statuses('{"OneTime":{"amount":5,"due_date":0,"expiry_date":null}}'), [a, c, c, c, c])
  t.same(statuses('{"UpTo":{"deadline":9,"max_amount":5,"valid_after":0}}'), [a, c, c, c, c])
  t.same(statuses('{"SomethingNew":null}'), [a, a, a, a, a])
})

t.test('a pay-as-you-go period begins with the first payment at or after its end', async t => {
  const terms =
    '{"PayAsYouGo":{"current_period_start":100,"current_period_total":7,"expiry_date":null,"max_amount_per_period":99,"max_chunk_amount":9,"period_length_seconds":50}}'
  let state = applyToPolicy(emptyPolicy(POLICY), eventAt(1, 1, created(1, terms)))
  const periods = [0n, 149n, 150n, 199n, 400n].map((paidAt, at) => {
    state = applyToPolicy(state, payment(2 + at, 2 + at, 1n, paidAt))
    return [state.periodStart, state.periodTotal]
  })
  t.same(periods, [
    [100n, 8n],
    [100n, 9n],
    [150n, 1n],
    [150n, 2n],
    [400n, 1n],
  ])
})
