// A payment that gets its recipient and token from later events counts from then on.
import { buildAddress, buildChain } from '@payment-tracking/testkit'
import t from 'tap'
import { readExpectation } from '../../src/index.js'
import { openShop, RECIPIENT } from './open-shop.js'

t.test('a payment before its policy', async t => {
  const shop = await openShop(t)
  const webhook = await shop.addWebhook()
  const chain = buildChain({ seed: 'facts', firstSlot: 2_000_000 })
  const gateway = await chain.openGateway('shop')
  const mint = buildAddress('mint of the plan')
  const userPayment = await chain.openUserPayment(mint)
  const policy = await chain.openPolicy(gateway, userPayment, {
    trackingId: 'plan-1',
    recipient: RECIPIENT,
    amount: 100n,
  })
  const { payer: _payer, recipient: _recipient, token_mint: _mint, ...data } = chain.pay(policy).data
  const paid = { ...chain.pay(policy), data }
  const { record } = await shop.expect({ trackingId: 'plan-1', tokenMint: mint })
  await shop.commit([paid])
  t.match((await readExpectation(shop.store, record.id))?.record, { state: 'open', paymentCount: 0n })
  await shop.commit([policy.created])
  t.match((await readExpectation(shop.store, record.id))?.record, { state: 'open' }, 'the token is not known')
  await shop.commit([userPayment.created])
  t.match((await readExpectation(shop.store, record.id))?.record, { state: 'paid', paymentCount: 1n })
  t.same(
    (await shop.sent(webhook)).map(({ type }) => type),
    ['paid'],
  )
  await shop.retract(policy.created)
  await shop.work()
  t.match((await readExpectation(shop.store, record.id))?.record, { state: 'open', paymentCount: 0n })
})
