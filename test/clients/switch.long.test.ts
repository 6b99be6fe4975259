// The incumbent's clients against the whole system, with nothing but the base URL changed: their dashboard, checkout,
// payment page and receiver, each as its code behaves, in our own words. Rules without timing are tested in
// services/api/test/incumbent-switch.long.test.ts, how long a customer waits in one-try.night.test.ts. All clients share one
// running system, so it is one file of about 300 lines.
import { sign } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { buildChain, openReceiver, waitFor, type ChainMessage } from '@payment-tracking/testkit'
import bs58 from 'bs58'
import { io, type Socket } from 'socket.io-client'
import t from 'tap'
import { askJson, type JsonAnswer } from '../ask-json.js'
import { startStackWithPublisher } from '../e2e/start-stack-with-publisher.js'
import { isProofOf, makeProof, makeProofKey } from './proofs.js'

const [ours, theirs] = [makeProofKey('ours'), makeProofKey('theirs')]
const { id, baseUrl, publish } = await startStackWithPublisher(t, 'switch', {
  WEBHOOK_BACKOFF_MS: '200',
  CHECKOUT_TOKEN_KEYS: JSON.stringify({ keys: [ours, theirs] }),
})
const chain = buildChain({ seed: id })
const gateway = await chain.openGateway()
await publish(gateway.created)

const call = (method: string, path: string, body?: unknown, token?: string) =>
  askJson(baseUrl + path, { method, body, token, headers: { 'content-type': 'application/json' } })
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

t.test('form: twenty addresses typed letter by letter, and each is asked for at each letter', async t => {
  const ask = (recipient: string) => call('POST', '/v1/tokens/issue', { recipient, trackingId: `form ${id}` })
  for (let address = 0; address < 20; address++) {
    const { recipient } = (await buy(`form ${id} ${address}`)).policy
    for (let letters = 1; letters < recipient.length; letters++) {
      // Short of its last letter, a text can be a key of 32 bytes too.
      const expected = letters < recipient.length - 1 ? [400] : [400, 404]
      const { status } = await ask(recipient.slice(0, letters))
      if (!expected.includes(status))
        return t.fail(`${status} after ${letters} letters of address ${address}`)
    }
    t.equal((await ask(recipient)).status, 404)
  }
})

t.test('checkout: who never paid holds no proof of payment', async t => {
  const account = await chain.openUserPayment()
  const due = Math.floor(Date.now() / 1000) - 3_600
  const { created } = await chain.openPolicy(gateway, account, {
    trackingId: `idle ${id}`,
    nextPaymentDue: due,
  })
  await publish(account.created, { ...created, timestamp: new Date((due - 60) * 1000).toISOString() })
  const ask = () => call('POST', '/v1/tokens/issue', { walletPublicKey: account.owner, trackingId: null })
  await waitFor(async () => (await ask()).status === 200, { what: 'the policy' })
  t.match(claimsOf((await ask()).body.token), { policies: [{ status: 'overdue' }], lastPayments: [] })
})

t.test('verifier: tokens from before the switch hold beside ours, and are not refreshed', async t => {
  const { keys } = (await call('GET', '/.well-known/jwks.json')).body
  const { owner, policy, messages } = await buy(`proof ${id}`)
  await publish(...messages)
  const request = { walletPublicKey: owner, recipient: policy.recipient }
  await waitFor(async () => (await call('POST', '/v1/tokens/issue', request)).status === 200)
  const { token } = (await call('POST', '/v1/tokens/issue', request)).body
  const old = makeProof(theirs, { sub: owner, policies: [], lastPayments: [] })
  for (const each of [token, old]) t.ok(isProofOf(owner, each, keys))
  t.notOk(isProofOf(owner, makeProof(makeProofKey('stranger'), { sub: owner }), keys))
  const refresh = (each: string) => call('POST', '/v1/tokens/refresh', undefined, each)
  t.equal((await refresh(old)).status, 401)
  t.equal((await refresh(token)).status, 200)
})

async function signIn(): Promise<string> {
  const path = `/v1/gateway/${gateway.address}/auth`
  // Their code never reads `expiresAt`, which is a text here.
  const { nonce } = (await call('POST', `${path}/challenge`)).body
  const { publicKey: signer, privateKey } = gateway.authority
  const signature = bs58.encode(sign(null, Buffer.from(nonce), privateKey))
  return (await call('POST', `${path}/verify`, { signer, signature })).body.token
}

t.test('dashboard: lifetime revenue, payers and downloads', async t => {
  const { publicKey: self } = gateway.authority
  const { tokenMint } = await chain.openUserPayment()
  const [direct, old] = [5n, 7n].map(amount =>
    chain.payDirectly({
      gateway: gateway.address,
      payer: self,
      recipient: self,
      tokenMint,
      amount,
      trackingId: `direct ${id}`,
    }),
  ) as [ChainMessage, ChainMessage]
  const longAgo = Date.now() - 500 * 86_400_000
  old.timestamp = new Date(longAgo).toISOString()
  old.data.timestamp = String(Math.floor(longAgo / 1000))
  await publish(direct, old)
  const token = await signIn()
  const get = (path: string) =>
    call('GET', `/v1/gateway/${gateway.address}/merchant/${path}`, undefined, token)
  const expected = String(21n * 1_000_000n + 12n)
  await waitFor(async () => (await get('revenue?')).body.recognizedRevenue === expected, {
    what: 'the whole life',
  })
  const revenue = (await get('revenue?')).body
  t.equal(revenue.bucket, 'week')
  t.equal(
    revenue.series.reduce((sum: bigint, point: { recognized: string }) => sum + BigInt(point.recognized), 0n),
    BigInt(expected),
  )
  t.match((await get('export/revenue?format=csv')).text.split('\r\n')[1], new RegExp(`^\\d+,${expected},22,`))
  const { items, total } = (await get('subscribers?limit=5000&offset=0')).body
  t.equal(total, 22, 'wallets that paid, without the owner who never did')
  t.match(
    items.find(({ wallet }: { wallet: string }) => wallet === self),
    { totalPaid: '12', policyCount: 0 },
  )
})

t.test('dashboard: badges, and downloads without a format', async t => {
  const account = await chain.openUserPayment()
  const terms = { trackingId: `done ${id}`, maxRenewals: 1 }
  const policy = await chain.openPolicy(gateway, account, terms)
  await publish(account.created, policy.created, chain.pay(policy))
  const path = `/v1/gateway/${gateway.address}/merchant`
  const token = await signIn()
  const statusOf = async () =>
    (await call('GET', `${path}/policies?limit=100&offset=0`, undefined, token)).body.items.find(
      ({ policyAddress }: { policyAddress: string }) => policyAddress === policy.address,
    )?.status
  // Their badge knows Active, Paused and Deleted, and shows any other word without a colour.
  await waitFor(async () => (await statusOf()) === 'Completed', { what: 'the word of the badge' })
  // Their columns stand first, so a sheet that reads by place reads on.
  const columns = {
    payments: 'signature,slot,timestamp,paymentPolicy,gateway,amount,',
    policies: 'policyAddress,family,policyId,variant,status,amount,paymentFrequency,recipient,',
    subscribers: 'wallet,policyCount,totalPaid,lastActiveAt,',
    revenue: 'mrr,recognizedRevenue,activeSubscriptionCount,',
  }
  for (const [kind, first] of Object.entries(columns)) {
    const file = await call('GET', `${path}/export/${kind}`, undefined, token)
    t.match(file.headers.get('content-type'), /^text\/csv/, kind)
    t.match(file.headers.get('content-disposition'), `filename="${kind}-`)
    t.equal(file.text.slice(0, first.length), first)
    t.equal((await call('GET', `${path}/export/${kind}?format=csv`)).status, 401, 'a plain link has no token')
  }
  const { expiresAt } = (await call('POST', `/v1/gateway/${gateway.address}/auth/challenge`)).body
  t.match(new Date(expiresAt).toISOString(), expiresAt, 'a text that `new Date` reads')
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
  const named = await call('POST', '/v1/webhooks', { ...body, active: false }, token)
  t.match(named, { status: 201, body: { format: 'standard' } }, 'the answer says which body is sent')
  const created = await call('POST', '/v1/webhooks', { ...body, format: 'tributary' }, token)
  t.equal(created.status, 201)
  await call('POST', `/v1/webhooks/${created.body.id}/test`, undefined, token)
  const { policy, messages } = await buy(`told ${id}`)
  await publish(...messages)
  await waitFor(() => receiver.requests.length === 2, { what: 'the test and the payment' })
  const received = receiver.requests.map(
    ({ body: sent }) => JSON.parse(sent) as { event: string; data: { memo: number[] } },
  )
  const orders = received.filter(({ event }) => event === 'tributary_PaymentRecord')
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
  const account = await chain.openUserPayment()
  const policy = await chain.openPolicy(gateway, account, { trackingId: `mint ${id}` })
  await publish(account.created, policy.created)
  const find = (query: object) => call('GET', `/v1/subscriptions?${new URLSearchParams({ ...query })}`)
  const pair = { walletPublicKey: account.owner, tokenMint: account.tokenMint }
  await waitFor(async () => (await find(pair)).body.data.length === 1)
  t.match(await find({ trackingId: policy.trackingId, tokenMint: account.tokenMint }), {
    status: 400,
    body: { error: 'If you provide either walletPublicKey or tokenMint, you have to provide both!' },
  })
})
