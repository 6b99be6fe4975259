import t from 'tap'
import { policyTypeView, readPolicyTerms, writeJson } from '../src/index.js'

const SUBSCRIPTION =
  '{"Subscription":{"amount":18446744073709551615,"auto_renew":true,"max_renewals":null,' +
  '"next_payment_due":1770138000,"payment_frequency":{"Monthly":null}}}'
const MILESTONE =
  '{"Milestone":{"current_milestone":0,"escrow_amount":0,"milestone_amounts":[100,200,18446744073709551615,0],' +
  '"milestone_timestamps":[1,2,3,0],"release_condition":1,"total_milestones":3}}'

t.test('a subscription is served in camelCase with every digit, and the date that holds now', async t => {
  t.equal(
    writeJson(policyTypeView(SUBSCRIPTION, { nextPaymentDue: 1772557200n, currentMilestone: 9 })),
    '{"subscription":{"amount":18446744073709551615,"autoRenew":true,"maxRenewals":null,' +
      '"nextPaymentDue":1772557200,"paymentFrequency":{"Monthly":null}}}',
  )
  t.match(policyTypeView(SUBSCRIPTION, { nextPaymentDue: null }), { subscription: { nextPaymentDue: null } })
  t.match(policyTypeView(SUBSCRIPTION), { subscription: { nextPaymentDue: 1770138000 } })
})

t.test('a custom frequency is served with its seconds', async t => {
  const text = SUBSCRIPTION.replace('{"Monthly":null}', '{"Custom":262800}')
  t.match(policyTypeView(text), { subscription: { paymentFrequency: { Custom: 262800 } } })
})

t.test('a milestone policy is served with the milestone that was reached', async t => {
  const view = policyTypeView(MILESTONE, { currentMilestone: 2, nextPaymentDue: 5n })
  t.match(view, {
    milestone: { currentMilestone: 2, milestoneAmounts: [100, 200, 18446744073709551615n, 0] },
  })
  t.notOk(Object.hasOwn(view.milestone as object, 'nextPaymentDue'))
})

t.test('an unknown type is served under its own name', async t => {
  t.same(
    policyTypeView('{"SomethingNew":{"big_number":18446744073709551615,"in_side":[{"of_it":{"X":1}}]}}'),
    {
      somethingNew: { bigNumber: 18446744073709551615n, inSide: [{ ofIt: { X: 1 } }] },
    },
  )
  t.same(policyTypeView('{"PayOnce":null}'), { payOnce: null })
  t.same(policyTypeView('{"Milestone_2":5}', { currentMilestone: 2 }), { milestone2: 5 })
})

t.test('the terms that state depends on are read back from the stored text', async t => {
  t.same(readPolicyTerms(SUBSCRIPTION.replace('{"Monthly":null}', '{"Custom":18446744073709551615}')), {
    kind: 'subscription',
    amount: 18446744073709551615n,
    autoRenew: true,
    maxRenewals: null,
    frequency: { name: 'Custom', seconds: 18446744073709551615n },
    nextPaymentDue: 1770138000n,
  })
  t.same(readPolicyTerms(MILESTONE), { kind: 'milestone', currentMilestone: 0, totalMilestones: 3 })
  const payg =
    '{"PayAsYouGo":{"current_period_start":5,"current_period_total":18446744073709551615,"period_length_seconds":86400}}'
  t.same(readPolicyTerms(payg), {
    kind: 'pay-as-you-go',
    periodLengthSeconds: 86400n,
    periodStart: 5n,
    periodTotal: 18446744073709551615n,
    expiryDate: null,
  })
  const terms = readPolicyTerms('{"OneTime":{"amount":5,"due_date":-1,"expiry_date":9}}')
  t.same(terms, { kind: 'one-time', amount: 5n, dueDate: -1n, expiryDate: 9n })
  t.same(readPolicyTerms('{"UpTo":{"deadline":7}}'), { kind: 'up-to', deadline: 7n })
  t.same(readPolicyTerms('{"SomethingNew":null}'), { kind: 'unknown' })
})
