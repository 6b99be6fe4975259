import { buildChain } from '@payment-tracking/testkit'
import t from 'tap'
import { openApi } from './open-api.js'
import { storeMessages } from './store-messages.js'

t.test('the end of a user payment shows in its subscriptions', async t => {
  const api = await openApi(t)
  const chain = buildChain({ seed: 'user payment deleted' })
  const [gateway, userPayment] = [await chain.openGateway(), await chain.openUserPayment()]
  const policy = await chain.openPolicy(gateway, userPayment, { trackingId: 'order' })
  const { owner, address, tokenMint } = userPayment
  await storeMessages(api, gateway.created, userPayment.created, policy.created)
  const lookups = [
    { trackingId: 'order' },
    { userPublicKey: owner },
    { userPublicKey: address },
    { walletPublicKey: owner, tokenMint },
  ]
  const seen = async () => {
    const found = []
    for (const query of lookups) {
      const { body } = await api.get(`/v1/subscriptions?${new URLSearchParams(query)}`)
      found.push(...(body.data as { userPaymentDeleted: boolean }[]))
    }
    return found.map(({ userPaymentDeleted }) => userPaymentDeleted)
  }
  t.strictSame(await seen(), [false, false, false, false])

  const later = (slots: number) => ({ slot: policy.created.slot + slots })
  const deleted = {
    ...chain.pay(policy),
    ...later(10),
    event_name: 'UserPaymentDeleted',
    data: { user_payment: address, owner, rent_payer: owner },
  }
  await storeMessages(api, deleted)
  t.strictSame(await seen(), [true, true, true, true], 'every lookup still finds it, and says so')

  await storeMessages(api, { ...userPayment.created, signature: chain.pay(policy).signature, ...later(20) })
  t.strictSame(await seen(), [false, false, false, false], 'the account was opened again')
})
