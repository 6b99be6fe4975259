// The incumbent's checkout and payment page against the whole system, with nothing but the base URL changed: each as its code
// behaves, in our own words. Rules without timing: services/api/test/incumbent-switch.long.test.ts.
import { setTimeout as sleep } from 'node:timers/promises'
import { buildChain, waitFor } from '@payment-tracking/testkit'
import { io, type Socket } from 'socket.io-client'
import t from 'tap'
import { makeCheckoutKey } from '../../services/api/test/checkout/make-checkout-keys.js'
import { askJson, type JsonAnswer } from '../ask-json.js'
import { startStackWithPublisher } from '../e2e/start-stack-with-publisher.js'

const { id, baseUrl, publish } = await startStackWithPublisher(t, 'switch', {
  CHECKOUT_TOKEN_KEYS: JSON.stringify({ keys: [makeCheckoutKey()] }),
})
const chain = buildChain({ seed: id })
const gateway = await chain.openGateway()
await publish(gateway.created)

const prove = (body: object) =>
  askJson(`${baseUrl}/v1/tokens/issue`, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json' },
  })
const claimsOf = (token: string) =>
  JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()) as {
    policies: { status: string }[]
    lastPayments: { memo: string; payer: string }[]
  }

/** A customer's purchase: account, policy and first payment in one transaction. */
async function buy(trackingId: string) {
  const account = await chain.openUserPayment()
  const policy = await chain.openPolicy(gateway, account, {
    trackingId,
    nextPaymentDue: Math.floor(Date.now() / 1000),
  })
  const paid = chain.pay(policy)
  const { slot, signature } = account.created
  const messages = [account.created, policy.created, paid].map((message, index) => ({
    ...message,
    slot,
    signature,
    index,
  }))
  return { policy, owner: account.owner, messages }
}

t.test('checkout: the first proof that a buyer gets holds the payment', async t => {
  for (let round = 0; round < 20; round++) {
    const trackingId = `buy ${id} ${round}`
    const { owner, policy, messages } = await buy(trackingId)
    const request = { walletPublicKey: owner, recipient: policy.recipient, trackingId }
    const published = publish(...messages)
    let answer: JsonAnswer
    // Their checkout asks every 1.5 s and stops at every status but 404; asking more often meets more moments.
    do {
      await sleep(5)
      answer = await prove(request)
    } while (answer.status === 404)
    await published
    t.equal(answer.status, 200)
    const { policies, lastPayments } = claimsOf(answer.body.token)
    t.match(
      { policies, lastPayments },
      {
        policies: [{ status: 'paid' }],
        lastPayments: [{ memo: trackingId, payer: owner }],
      },
    )
  }
})

/** Their page: every `error` is a failed payment, and the first `payment` is the end. */
function openPage(trackingId: string) {
  const socket: Socket = io(baseUrl, { path: '/ws/v1', transports: ['websocket'], forceNew: true })
  const page = { status: 'waiting', answered: false, close: () => socket.disconnect() }
  socket.on('connect', () => socket.emit('subscribe', { trackingId }))
  socket.on('ack', () => (page.answered = true))
  socket.on('refused', () => (page.answered = true))
  socket.on('error', () => (page.status = 'failed'))
  socket.on('payment', ({ data }: { data: { status: string } }) => (page.status = data.status))
  return page
}

t.test('payment page: twelve pages of one order, and none shows a failed payment', async t => {
  const { policy, messages } = await buy(`pages ${id}`)
  const pages = Array.from({ length: 12 }, () => openPage(policy.trackingId))
  t.teardown(() => pages.forEach(page => page.close()))
  await waitFor(() => pages.every(({ answered }) => answered), { what: 'an answer to every page' })
  t.ok(pages.every(({ status }) => status === 'waiting'))
  await publish(...messages)
  await waitFor(() => pages.filter(({ status }) => status === 'executed').length === 10)
  t.equal(pages.filter(({ status }) => status === 'failed').length, 0)
  // Our clients subscribe with a callback, and still learn it.
  const ours: Socket = io(baseUrl, { path: '/ws/v1', transports: ['websocket'], forceNew: true })
  t.teardown(() => ours.disconnect())
  const errors: unknown[] = []
  ours.on('error', error => errors.push(error))
  const reply = await ours.emitWithAck('subscribe', { trackingId: policy.trackingId })
  t.match(reply, { ok: false, code: 'TOO_MANY_CONNECTIONS' })
  await waitFor(() => errors.length === 1)
})
