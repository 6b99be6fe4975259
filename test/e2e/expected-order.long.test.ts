// A shop's server expects a payment, a buyer's page follows it, and the shop's endpoint is told: by the published client, against a
// whole stack.
// In one process with others: a stack and a browser.
import { expectPayment, ExpectPaymentError, watchExpectation } from '@payment-tracking/client'
import {
  buildAddress,
  buildChain,
  openProxy,
  openPublisher,
  openReceiver,
  waitFor,
} from '@payment-tracking/testkit'
import t from 'tap'
import { openGatewaySession } from '../../infra/stack/src/commands/dev-kit/gateway-session.js'
import { shareStack } from './share-stack.js'

const { baseUrl, natsUrl } = await shareStack(t)
const publisher = await openPublisher({ NATS_URL: natsUrl })
t.teardown(() => publisher.close())
const publish = (message: object) => publisher.publish(JSON.stringify(message))
const chain = buildChain({ seed: 'expected order' })
const gateway = await chain.openGateway('shop')
await publish(gateway.created)
const session = await waitFor(
  () => openGatewaySession(baseUrl, gateway.address, gateway.authority).catch(() => undefined),
  { what: 'the sign-in' },
)
const [recipient, tokenMint] = [buildAddress('till'), buildAddress('token')]
const terms = { token: session.token, gateway: gateway.address, trackingId: 'order-1', recipient, tokenMint }
const pay = (amount: bigint, trackingId = 'order-1') =>
  chain.payDirectly({
    gateway: gateway.address,
    trackingId,
    recipient,
    tokenMint,
    amount,
    payer: buildAddress('buyer'),
  })

t.test('an order is paid in parts, and taken back', { timeout: 120_000 }, async t => {
  const receiver = await openReceiver(t)
  await session.ask('POST', '/v1/webhooks', {
    gateway_pubkey: gateway.address,
    endpoint_url: receiver.url,
    eventTypes: ['expectation.underpaid', 'expectation.paid', 'expectation.reopened'],
  })
  const { id, state } = await expectPayment(baseUrl, {
    ...terms,
    amount: 2n ** 64n - 1n,
    reference: 'cart 9',
  })
  t.equal(state, 'open')
  t.equal((await expectPayment(baseUrl, { ...terms, amount: 2n ** 64n - 1n, reference: 'cart 9' })).id, id)
  await t.rejects(expectPayment(baseUrl, { ...terms, amount: 5n }), { code: 'EXPECTATION_EXISTS', id })
  await t.rejects(expectPayment(baseUrl, { ...terms, token: 'no.to.ken', amount: 5n }), ExpectPaymentError)

  const seen: string[] = []
  const watch = watchExpectation(baseUrl, {
    id,
    onChange: each => {
      if (seen.at(-1) !== each.state) seen.push(each.state)
    },
  })
  t.teardown(() => watch.close())
  await waitFor(() => seen.length === 1, { what: 'the record' })
  await publish(pay(5n))
  await waitFor(() => seen.length === 2, { what: 'a part' })
  const rest = pay(2n ** 64n - 6n)
  await publish(rest)
  await waitFor(() => seen.length === 3, { what: 'the rest' })
  const { signature, slot } = rest
  await publish({ subject: 'chain.events.control.retracted', message: { signature, slot } })
  await waitFor(() => seen.length === 4, { what: 'the retraction' })
  t.same(seen, ['open', 'underpaid', 'paid', 'underpaid'])
  await waitFor(() => receiver.requests.length >= 3, { what: 'the notices' })
  const found = receiver.requests.map(({ body }) => (JSON.parse(body) as { type: string }).type)
  t.same(found, ['expectation.underpaid', 'expectation.paid', 'expectation.reopened'])
  let isMissing = false
  const none = watchExpectation(baseUrl, {
    id: '00000000-0000-4000-8000-000000000000',
    onChange: () => {},
    onMissing: () => (isMissing = true),
  })
  t.teardown(() => none.close())
  await waitFor(() => isMissing, { what: 'the answer that there is none' })
})

t.test('a page whose socket was cut never learned of its payment', { timeout: 120_000 }, async t => {
  const proxy = await openProxy(t, baseUrl, '/pay')
  const trackingId = 'order-2'
  const { id } = await expectPayment(proxy.url, { ...terms, trackingId, amount: 10n })
  const seen: string[] = []
  const watch = watchExpectation(proxy.url, { id, onChange: ({ state }) => seen.push(state) })
  t.teardown(() => watch.close())
  const reads = () => proxy.asked.filter(asked => asked === `GET /pay/v1/expectations/${id}`).length
  await waitFor(() => seen.length === 2, { what: 'the record, by HTTP and by socket' })
  t.equal(reads(), 1)
  proxy.answer(asked => (asked.startsWith('UPGRADE') ? { status: 403 } : undefined))
  proxy.cut()
  await publish(pay(10n, trackingId))
  await waitFor(() => seen.includes('paid'), { what: 'the payment, by asking' })
  t.ok(reads() > 1)
})
