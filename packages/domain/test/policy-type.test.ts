import t from 'tap'
import { accept, envelopeOf, POLICY_CREATED, refuse, SUBSCRIPTION, type Members } from './messages.js'

const policyOf = (policy_type: unknown) =>
  envelopeOf('PaymentPolicyCreated', { ...POLICY_CREATED, policy_type })
async function textOf(policyType: unknown): Promise<string | undefined> {
  const { effect } = await accept(policyOf(policyType))
  return effect.kind === 'policy-created' ? effect.policyType.text : undefined
}

t.test('a policy type is kept tagged, without padding, its integers as literals', async t => {
  const text =
    '{"Subscription":{"amount":1000,"auto_renew":true,"max_renewals":24,"next_payment_due":1769860800,"payment_frequency":{"Monthly":null}}}'
  t.equal(await textOf({ Subscription: SUBSCRIPTION }), text)
  t.equal(
    await textOf({ variant: 'Subscription', ...SUBSCRIPTION, payment_frequency: { variant: 'Monthly' } }),
    text,
  )
  const withNewer = await textOf({ Subscription: { ...SUBSCRIPTION, max_renewals: undefined, newer: '7' } })
  t.equal(withNewer, text.replace('24', 'null').replace(',"next', ',"newer":7,"next'))
  t.equal(
    await textOf({
      Subscription: {
        ...SUBSCRIPTION,
        amount: '18446744073709551615',
        payment_frequency: { variant: 'Custom', field: '262800' },
      },
    }),
    text.replace('1000', '18446744073709551615').replace('{"Monthly":null}', '{"Custom":262800}'),
  )
  t.equal(
    await textOf({
      Subscription: { ...SUBSCRIPTION, payment_frequency: { variant: 'Lunar', phase: 'new' } },
    }),
    text.replace('{"Monthly":null}', '{"Lunar":{"phase":"new"}}'),
  )
  t.equal(
    await textOf({ variant: 'SomethingNew', colour: 'green', big: '18446744073709551615', padding: [] }),
    '{"SomethingNew":{"big":18446744073709551615,"colour":"green"}}',
  )
  t.equal(await textOf('PayOnce'), '{"PayOnce":null}')
})

const MILESTONE: Members = {
  milestone_amounts: ['100', '200', 300, '0'],
  milestone_timestamps: ['1', '2', '3', '-1'],
  current_milestone: 0,
  release_condition: 1,
  total_milestones: 3,
  escrow_amount: '0',
}
const PAY_AS_YOU_GO: Members = {
  max_amount_per_period: '1000',
  max_chunk_amount: '100',
  period_length_seconds: '86400',
  current_period_start: '1770292800',
  current_period_total: '0',
}

t.test('a policy type that we know must carry its fields', async t => {
  const known: [string, Members][] = [
    ['Milestone', MILESTONE],
    ['PayAsYouGo', PAY_AS_YOU_GO],
    ['Subscription', SUBSCRIPTION],
  ]
  for (const [name, fields] of known) {
    t.type(await textOf({ [name]: fields }), 'string')
    const checked = Object.keys(fields).filter(field => !['padding', 'release_condition'].includes(field))
    for (const field of checked) {
      for (const bad of [undefined, 'x', -1.5, {}, [1, 2]]) {
        if (field === 'max_renewals' && bad === undefined) continue
        if (field === 'payment_frequency' && bad === 'x') continue
        const { reason } = await refuse(policyOf({ variant: name, ...fields, [field]: bad }))
        t.match(reason, `data.policy_type.${name}.${field}`, `${field} = ${JSON.stringify(bad)}`)
      }
    }
    for (const bad of [name, { [name]: null }, { [name]: [] }, { [name]: 5 }])
      await t.resolves(refuse(policyOf(bad)))
  }
  for (const payment_frequency of [
    { Monthly: 5 },
    { Custom: null },
    { Custom: '-1' },
    { Custom: 1.5 },
    'Custom',
    { variant: 'Weekly', field: 1 },
  ]) {
    await t.resolves(
      refuse(policyOf({ Subscription: { ...SUBSCRIPTION, payment_frequency } })),
      JSON.stringify(payment_frequency),
    )
  }
})
