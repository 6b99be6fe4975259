import t from 'tap'
import {
  dueNoticeOf,
  dueStateOf,
  holdsStill,
  policyDates,
  readPolicyTerms,
  type DuePolicy,
  type DueState,
} from '../src/index.js'

const GRACE = 7_200
const policy = (
  type: string,
  terms: object,
  { nextPaymentDue = null, ...others }: Partial<DuePolicy> & { nextPaymentDue?: bigint | null } = {},
): DuePolicy & { policyType: string } => {
  const policyType = JSON.stringify({ [type]: terms })
  const dates = policyDates(readPolicyTerms(policyType), {
    nextPaymentDue,
    createdAt: 1_000n,
    paymentCount: 0n,
  })
  return { live: true, status: 'active', policyType, ...dates, ...others }
}

/** Each moment in Unix seconds, and the due state then. */
function check(of: ReturnType<typeof policy>, states: [now: number, state: DueState][]): void {
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

const LAST = 253_402_300_799n

t.test('dates outside of 1970 to 9999 are none, and ends outside of it are its bounds', async t => {
  const datesOf = (type: string, terms: object, nextPaymentDue: bigint | null = null) => {
    const { dueAt, endsAt } = policy(type, terms, { nextPaymentDue })
    return [dueAt, endsAt]
  }
  for (const date of [-9_223_372_036_854_775_808n, -1n, LAST + 1n, 9_223_372_036_854_775_807n])
    t.same(datesOf('Subscription', SUBSCRIPTION, date), [null, null], String(date))
  for (const date of [0n, LAST]) t.same(datesOf('Subscription', SUBSCRIPTION, date), [date, null])
  t.same(datesOf('OneTime', { amount: 1, due_date: 253_402_300_800, expiry_date: null }), [null, null])
  t.same(datesOf('OneTime', { amount: 1, due_date: 5, expiry_date: -7 }), [5n, 0n])
  t.same(datesOf('OneTime', { amount: 1, due_date: 5, expiry_date: -1 }), [5n, 0n])
  t.same(datesOf('OneTime', { amount: 1, due_date: 5, expiry_date: Number(LAST) }), [5n, LAST])
  t.same(datesOf('UpTo', { deadline: -7 }), [null, 0n])
  t.same(datesOf('UpTo', { deadline: 9e15 }), [null, LAST])
})

t.test('of the dates of a policy, one notice at most is sent at a time', async t => {
  const margins = { soonSeconds: 100, graceSeconds: 10 }
  const noticeOf = (of: DuePolicy, now: number) => dueNoticeOf(of, now, margins)
  const open = policy('OneTime', { amount: 1, due_date: 1_000, expiry_date: 1_099 })
  const [soon, overdue, expired] = [
    { type: 'subscription.due_soon' as const, at: 1_000n },
    { type: 'subscription.overdue' as const, at: 1_000n },
    { type: 'subscription.expired' as const, at: 1_100n },
  ]
  const notices = [899, 900, 999, 1_000, 1_010, 1_011, 1_099, 1_100].map(now => noticeOf(open, now))
  t.same(notices, [null, soon, soon, null, null, overdue, overdue, expired])
  const ended = policy('OneTime', { amount: 1, due_date: 1_000, expiry_date: 950 })
  t.same(noticeOf(ended, 940), soon)
  t.same(noticeOf(ended, 951), { type: 'subscription.expired', at: 951n }, 'due soon, but it has ended')
  for (const others of [{ status: 'paused' }, { live: false }])
    t.equal(noticeOf({ ...open, ...others }, 1_050), null)

  t.ok(holdsStill(soon, open, 999))
  t.notOk(holdsStill(soon, open, 1_000), 'the date has come')
  t.ok(holdsStill(overdue, open, 1_001))
  t.notOk(holdsStill(overdue, open, 1_100), 'it has ended')
  t.notOk(holdsStill(overdue, { ...open, dueAt: 2_000n }, 1_050), 'it was paid')
  t.notOk(holdsStill(overdue, { ...open, status: 'paused' }, 1_050))
  t.ok(holdsStill(expired, open, 9_999))
})
