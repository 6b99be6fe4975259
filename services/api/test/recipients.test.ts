import { DEFAULT_PROGRAM_ID } from '@payment-tracking/contracts'
import { deriveUserPayment } from '@payment-tracking/domain'
import t from 'tap'
import { openApi } from './open-api.js'
import { keyOf, memoOf, signatureOf, subscriptionOf, tellChain } from './tell-chain.js'

t.test('each payment names the recipient of its own incarnation, also within one slot', async t => {
  const api = await openApi(t)
  const chain = tellChain(api.store)
  const at = 1_769_871_897
  const type = subscriptionOf()
  const policy = await chain.policy({ memo: 'order', recipient: keyOf('first'), type, at, id: 1 })
  const { address, owner, mint, gateway } = policy
  await chain.pay(policy, at + 10)
  // One transaction pays, deletes the policy, creates it anew for somebody else, and pays again.
  const place = { signature: signatureOf('all at once'), slot: 5_000 }
  const pay = (recordId: number, options: { signature?: string; slot: number; index?: number }) =>
    chain.say(
      'PaymentRecord',
      {
        payment_policy: address,
        gateway,
        amount: '1000',
        timestamp: String(at + recordId),
        memo: memoOf('order'),
        record_id: recordId,
      },
      at + 20 + recordId,
      options,
    )
  await pay(2, { ...place, index: 0 })
  await chain.say('PaymentPolicyDeleted', { payment_policy: address, owner, policy_id: 1 }, at + 20, {
    ...place,
    index: 1,
  })
  await chain.say(
    'PaymentPolicyCreated',
    {
      user_payment: deriveUserPayment(DEFAULT_PROGRAM_ID, owner, mint),
      recipient: keyOf('second'),
      gateway,
      policy_id: 1,
      policy_type: type,
      memo: memoOf('order'),
    },
    at + 20,
    { ...place, index: 2 },
  )
  await pay(3, { ...place, index: 3 })
  await pay(4, { slot: 6_000 })

  type Told = { recordId: number; recipient: string }
  const recipientsOf = async (query: string) => {
    const { body } = await api.get(`/v1/onetime/order${query}`)
    return (body.data as Told[]).map(({ recordId, recipient }) => [recordId, recipient])
  }
  const [first, second] = [keyOf('first'), keyOf('second')]
  t.same(await recipientsOf(''), [
    [4, second],
    [3, second],
    [2, first],
    [1, first],
  ])
  t.same(await recipientsOf(`?recipient=${first}`), [
    [2, first],
    [1, first],
  ])
  await chain.retract(place.signature)
  const afterRetraction = [
    [4, first],
    [1, first],
  ]
  t.same(await recipientsOf(''), afterRetraction, 'a retracted Created event began no incarnation')
})
