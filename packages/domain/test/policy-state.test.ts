// What of the fold of a policy is a table. That any order, any cut and any difference give what the oracle says, the laws hold.
import t from 'tap'
import { applyPayment, emptyPolicy, periodAtCreation, policyOutcome, type PolicyState } from '../src/index.js'

/** A policy that was created, and never paid. */
const policyOf = (policyType: string): PolicyState => ({
  ...emptyPolicy('policy'),
  incarnationStart: '0',
  policyType,
  ...periodAtCreation(policyType),
})

t.test('a policy is completed when its terms leave nothing to pay', async t => {
  const subscription = (autoRenew: boolean, maxRenewals: number | null) =>
    `{"Subscription":{"amount":5,"auto_renew":${autoRenew},"max_renewals":${maxRenewals},"next_payment_due":1000,"payment_frequency":{"Daily":null}}}`
  const statuses = (terms: string) =>
    [0n, 1n, 2n, 3n, 4n].map(paymentCount => policyOutcome({ ...policyOf(terms), paymentCount }).status)
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
  let state = policyOf(terms)
  const periods = [0n, 149n, 150n, 199n, 400n].map((paidAt, at) => {
    state = applyPayment(state, { order: String(at + 1), amount: 1n, paidAt })
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
