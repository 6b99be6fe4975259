// The incumbent's clients against the whole system, with nothing but the base URL changed: their dashboard, checkout,
// payment page and receiver, each as its code behaves, in our own words. Rules without timing are tested in
// services/api/test/incumbent-switch.test.ts.
import { sign } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { buildChain, openReceiver, waitFor } from '@payment-tracking/testkit'
import bs58 from 'bs58'
import { io, type Socket } from 'socket.io-client'
import t from 'tap'
import { startStackWithPublisher } from '../e2e/start-stack-with-publisher.js'

const { id, baseUrl, publish } = await startStackWithPublisher(t, 'switch', { WEBHOOK_BACKOFF_MS: '200' })
const chain = buildChain({ seed: id })
const gateway = await chain.openGateway()
await publish(gateway.created)

interface Answer {
  status: number
  headers: Headers
  // Their code reads untyped JSON.
  // oxlint-disable-next-line typescript/no-explicit-any
  body: any
  text: string
}
async function call(method: string, path: string, body?: unknown, token?: string): Promise<Answer> {
  const response = await fetch(`${baseUrl}${path}`, {
    method,
    headers: {
      'content-type': 'application/json',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.startsWith('application/json')
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: isJson ? JSON.parse(text) : undefined,
  }
}
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
    let answer: Answer
    // Their checkout asks every 1.5 s and stops at every status but 404; asking more often meets more moments.
    do {
      await sleep(5)
      answer = await call('POST', '/v1/tokens/issue', request)
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

t.test('checkout: twelve buyers behind one address poll for as long as they like', async t => {
  const buyers = await Promise.all(Array.from({ length: 12 }, (_, n) => buy(`late ${id} ${n}`)))
  const polls = buyers.flatMap(({ owner, policy, messages }) =>
    Array.from({ length: 20 }, () => ({ walletPublicKey: owner, recipient: policy.recipient, messages })),
  )
  for (const { walletPublicKey, recipient } of polls)
    t.equal((await call('POST', '/v1/tokens/issue', { walletPublicKey, recipient })).status, 404)
})

async function signIn(): Promise<string> {
  const path = `/v1/gateway/${gateway.address}/auth`
  const { nonce } = (await call('POST', `${path}/challenge`)).body
  const { publicKey: signer, privateKey } = gateway.authority
  const signature = bs58.encode(sign(null, Buffer.from(nonce), privateKey))
  return (await call('POST', `${path}/verify`, { signer, signature })).body.token
}

t.test('dashboard: lifetime revenue, payers and downloads', async t => {
  const direct = chain.payDirectly({
    ...{
      gateway: gateway.address,
      payer: gateway.authority.publicKey,
      recipient: gateway.authority.publicKey,
    },
    ...{ tokenMint: (await chain.openUserPayment()).tokenMint, amount: 5n, trackingId: `direct ${id}` },
  })
  const old = chain.payDirectly({
    ...{
      gateway: gateway.address,
      payer: gateway.authority.publicKey,
      recipient: gateway.authority.publicKey,
    },
    ...{ tokenMint: (await chain.openUserPayment()).tokenMint, amount: 7n, trackingId: `old ${id}` },
  })
  const longAgo = Date.now() - 500 * 86_400_000
  old.timestamp = new Date(longAgo).toISOString()
  old.data.timestamp = String(Math.floor(longAgo / 1000))
  await publish(direct, old)
  const token = await signIn()
  const get = (path: string) =>
    call('GET', `/v1/gateway/${gateway.address}/merchant/${path}`, undefined, token)
  const expected = String(20n * 1_000_000n + 12n)
  await waitFor(async () => (await get('revenue?')).body.recognizedRevenue === expected, {
    what: 'the whole life',
  })
  const revenue = (await get('revenue?')).body
  t.equal(revenue.bucket, 'week')
  t.equal(
    revenue.series.reduce((sum: bigint, point: { recognized: string }) => sum + BigInt(point.recognized), 0n),
    BigInt(expected),
  )
  t.match((await get('export/revenue?format=csv')).text.split('\r\n')[1], new RegExp(`^\\d+,${expected},20,`))
  const { items, total } = (await get('subscribers?limit=5000&offset=0')).body
  t.equal(total, 21)
  t.match(
    items.find(({ wallet }: { wallet: string }) => wallet === gateway.authority.publicKey),
    {
      totalPaid: '12',
      policyCount: 0,
    },
  )
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

t.test('receiver: nothing is lost in silence', async t => {
  const receiver = await openReceiver(t)
  const body = { gateway_pubkey: gateway.address, endpoint_url: receiver.url, active: true }
  const unsigned = await call('POST', '/v1/webhooks', body)
  t.match([unsigned.status, unsigned.body.error], [401, /two lines/])
  const token = await signIn()
  t.equal((await call('POST', '/v1/webhooks', body, token)).body.code, 'WEBHOOK_FORMAT_MISSING')
  const created = await call('POST', '/v1/webhooks', { ...body, format: 'tributary' }, token)
  t.equal(created.status, 201)
  await call('POST', `/v1/webhooks/${created.body.id}/test`, undefined, token)
  const { policy, messages } = await buy(`told ${id}`)
  await publish(...messages)
  await waitFor(() => receiver.requests.length === 2, { what: 'the test and the payment' })
  const told = receiver.requests.map(
    ({ body: sent }) => JSON.parse(sent) as { event: string; data: { memo: number[] } },
  )
  const orders = told.filter(({ event }) => event === 'tributary_PaymentRecord')
  t.same(
    orders.map(({ data }) => Buffer.from(data.memo).toString().replace(/\0+$/, '')),
    [policy.trackingId],
    'their handler reads the order, and takes the test for nothing else',
  )
})

t.test('probes and generic clients', async t => {
  t.match(await call('GET', '/'), { status: 200, body: { success: true } })
  const answer = await call('GET', `/v1/subscriptions?trackingId=none&_=${Date.now()}`)
  t.equal(answer.status, 200)
  t.equal(answer.headers.get('x-ignored-parameters'), '_')
})
