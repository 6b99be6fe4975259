// `GET /v1/payments/check`: a shop's check before it ships.
import { createApiClient } from '@payment-tracking/client'
import { buildAddress, buildChain } from '@payment-tracking/testkit'
import t from 'tap'
import { openApi } from './open-api.js'
import { storeControl, storeMessages } from './store-messages.js'

const AMOUNT = 9_007_199_254_740_993n
const chain = buildChain({ seed: 'payment check' })
const gateway = await chain.openGateway()
const userPayment = await chain.openUserPayment()
const policy = await chain.openPolicy(gateway, userPayment, { trackingId: 'order', amount: AMOUNT })
const { recipient } = policy.created.data as { recipient: string }
const tokenMint = userPayment.created.data.token_mint as string
const stranger = buildAddress('stranger')

/** A payment of the policy with other data. */
const pay = (data: object = {}) => {
  const message = chain.pay(policy)
  return { ...message, data: { ...message.data, ...data } }
}

const api = await openApi(t, { RATE_LIMIT_MAX: '1000000' })
await storeMessages(api, gateway.created, userPayment.created, policy.created)
const check = async (query: Record<string, string>) =>
  (await api.get(`/v1/payments/check?${new URLSearchParams(query)}`)).body as {
    paid: boolean
    payments: { eventId: string; amountString: string }[]
    paymentCount: number
    mismatchCount: number
    mismatches: { field: string; expected: string; actual: string | null; payment: { eventId: string } }[]
  }
const all = { trackingId: 'order', recipient, tokenMint, amount: AMOUNT.toString() }
const fieldsOf = ({ mismatches }: Awaited<ReturnType<typeof check>>) =>
  mismatches.map(({ field, expected, actual }) => [field, expected, actual])

t.test('without a payment', async t => {
  const none = { paid: false, payments: [], paymentCount: 0, mismatches: [], mismatchCount: 0 }
  t.strictSame(await check(all), none)
  t.strictSame(await check({ ...all, trackingId: 'nobody knows it' }), none)
})

t.test('with a payment that differs from the request', async t => {
  const otherMint = buildAddress('other mint')
  await storeMessages(api, pay({ amount: (AMOUNT - 1n).toString() }))
  t.strictSame(fieldsOf(await check(all)), [['amount', `${AMOUNT}`, `${AMOUNT - 1n}`]], 'one unit short')
  await storeMessages(api, pay({ recipient: stranger, token_mint: otherMint }))
  const both = await check(all)
  t.equal(both.paid, false, 'two payments that lack something are not one that lacks nothing')
  t.strictSame(fieldsOf(both), [
    ['recipient', recipient, stranger],
    ['tokenMint', tokenMint, otherMint],
    ['amount', `${AMOUNT}`, `${AMOUNT - 1n}`],
  ])
})

let paidBy: { signature: string; slot: number }
t.test('a payment that is', async t => {
  const message = pay({ amount: AMOUNT.toString() })
  paidBy = message
  await storeMessages(api, message)
  const answer = await check(all)
  t.equal(answer.paid, true)
  t.match(answer.payments, [
    { amountString: `${AMOUNT}`, signature: message.signature, recipient, tokenMint },
  ])
  t.equal(answer.payments.length, 1)
  t.equal(answer.mismatches.length, 3, 'the others are told with what they lack')
  t.equal((await check({ ...all, amount: `${AMOUNT + 1n}` })).paid, false, 'more than was paid')
  t.equal((await check({ ...all, finality: 'finalized' })).paid, false, 'not final yet')
  await storeControl(api, { kind: 'finalized', slot: message.slot })
  t.equal((await check({ ...all, finality: 'finalized' })).paid, true, 'final')
})

t.test('the typed client sends the same request', async t => {
  await api.app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = api.app.server.address() as { port: number }
  const client = createApiClient(`http://127.0.0.1:${port}`)
  const { data } = await client.GET('/v1/payments/check', { params: { query: all } })
  t.equal(data!.paid, true)
  t.equal(data!.payments[0]!.amount, AMOUNT, 'to the last digit')
})

t.test('small payments of strangers hide nothing', async t => {
  const dust = Array.from({ length: 1_100 }, () => pay({ amount: '1' }))
  for (let at = 0; at < dust.length; at += 500) await storeMessages(api, ...dust.slice(at, at + 500))
  const answer = await check(all)
  t.equal(answer.paid, true)
  t.same([answer.payments.length, answer.paymentCount], [1, 1])
  t.same([answer.mismatches.length, answer.mismatchCount], [100, 1_103], 'bounded, counted whole')
  t.equal((await check({ ...all, recipient: stranger })).mismatchCount, 1_101 + 1 + 1_103 - 1)
  const every = await check({ ...all, amount: '1' })
  t.same([every.payments.length, every.paymentCount, every.mismatchCount], [100, 1_102, 2])
})

t.test('a payment that was retracted does not count', async t => {
  await storeControl(api, { kind: 'retracted', signature: paidBy.signature, slot: paidBy.slot })
  const answer = await check(all)
  t.equal(answer.paid, false)
  t.strictSame(answer.payments, [])
})

t.test('an invalid request is refused with the name of its parameter', async t => {
  for (const [query, named] of [
    [{}, 'trackingId'],
    [{ ...all, trackingId: 'x'.repeat(65) }, 'trackingId'],
    [{ trackingId: 'order' }, 'Parameters recipient, tokenMint, amount are missing'],
    ...['trackingId', 'recipient', 'tokenMint', 'amount'].map(name => [
      Object.fromEntries(Object.entries(all).filter(([each]) => each !== name)),
      `Parameter ${name} is missing`,
    ]),
    [{ ...all, recipient: 'nobody' }, 'recipient'],
    [{ ...all, tokenMint: 'USDC' }, 'tokenMint'],
    [{ ...all, amount: '1.5' }, 'amount'],
    [{ ...all, amount: '-1' }, 'amount'],
    [{ ...all, amount: '18446744073709551616' }, 'amount'],
    [{ ...all, finality: 'soon' }, 'finality'],
    ...['recipient', 'tokenMint', 'amount', 'finality'].map(name => [{ ...all, [name]: '' }, name]),
    [{ ...all, gateway: gateway.address }, 'gateway'],
  ] as [Record<string, string>, string][]) {
    const { status, body } = await api.get(`/v1/payments/check?${new URLSearchParams(query)}`)
    t.equal(status, 400, JSON.stringify(query))
    t.match(body, { success: false, code: String, error: new RegExp(named) })
  }
})
