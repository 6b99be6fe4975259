import t from 'tap'
import { dueStateOf, type DuePolicy, type DueState } from '../src/index.js'

const GRACE = 7_200
const policy = (type: string, terms: object, others: Partial<DuePolicy> = {}): DuePolicy => ({
  live: true,
  status: 'active',
  policyType: JSON.stringify({ [type]: terms }),
  nextPaymentDue: null,
  createdAt: 1_000n,
  ...others,
})

/** Each moment in Unix seconds, and the due state then. */
function check(of: DuePolicy, states: [now: number, state: DueState][]): void {
  for (const [now, state] of states) t.equal(dueStateOf(of, now, GRACE), state, `${of.policyType} at ${now}`)
}

const SUBSCRIPTION = {
  amount: 1,
  auto_renew: true,
  max_renewals: null,
  payment_frequency: { Monthly: null },
  next_payment_due: 1,
}

t.test('a subscription is due from its due date, and overdue after the grace', async () => {
  check(policy('Subscription', SUBSCRIPTION, { nextPaymentDue: 10_000n }), [
    [9_999, 'upcoming'],
    [10_000, 'due'],
    [10_000 + GRACE, 'due'],
    [10_001 + GRACE, 'overdue'],
  ])
  check(policy('Subscription', SUBSCRIPTION), [[0, 'none']])
})

t.test('a one-time policy is due at its date, or at once, and expires', async () => {
  check(policy('OneTime', { amount: 1, due_date: 10_000, expiry_date: 20_000 }), [
    [9_999, 'upcoming'],
    [10_000, 'due'],
    [19_999, 'overdue'],
    [20_000, 'overdue'],
    [20_001, 'expired'],
  ])
  for (const due_date of [0, -1])
    check(policy('OneTime', { amount: 1, due_date, expiry_date: null }), [
      [1_000, 'due'],
      [1_001 + GRACE, 'overdue'],
    ])
})

t.test('an up-to or pay-as-you-go policy has no due date until it expires', async () => {
  check(policy('UpTo', { max_amount: 1, valid_after: 0, deadline: 5_000 }), [
    [4_999, 'none'],
    [5_000, 'expired'],
  ])
  const period = { current_period_start: 0, current_period_total: 0, period_length_seconds: 5 }
  check(policy('PayAsYouGo', { ...period, expiry_date: 5_000 }), [
    [5_000, 'none'],
    [5_001, 'expired'],
  ])
  for (const expiry_date of [null, 0, undefined])
    check(policy('PayAsYouGo', { ...period, expiry_date }), [[9_999, 'none']])
})

t.test('completed, paused, deleted and unknown policies expect no payment', async () => {
  const expired = { amount: 1, due_date: 0, expiry_date: 5 }
  for (const status of ['completed', 'paused', 'frozen', null])
    check(policy('OneTime', expired, { status }), [[10_000, 'none']])
  check(policy('OneTime', expired, { live: false }), [[10_000, 'none']])
  check(policy('SomethingNew', {}), [[10_000, 'none']])
})
