// A gateway's payments by token, standing, amount, time and tracking ID: the list, its sums and its file agree.
import t from 'tap'
import { makeSigningKeys } from '../gateway-auth/make-signing-keys.js'
import { openApi } from '../open-api.js'
import { keyOf, subscriptionOf, openChain } from '../open-chain.js'
import { signInDirectly } from './sign-in-directly.js'

const DAY = 86_400
const NOW = 1_794_992_800
const keys = makeSigningKeys()
const [usdc, sol] = [keyOf('usdc'), keyOf('sol')]
const settings = { RATE_LIMIT_MAX: '100000', JWT_PRIVATE_KEYS: keys, TOKENS: `${usdc}=USDC:2` }
const api = await openApi(t, settings, () => NOW * 1000)
const chain = openChain(api.store)
const { gateway, headers } = await signInDirectly(chain, keys, 'shop')
const other = await signInDirectly(chain, keys, 'other shop')

const sell = async (memo: string, mint: string, amounts: readonly number[], of = gateway) => {
  const policy = await chain.policy({
    gateway: of,
    owner: keyOf(`payer ${memo}`),
    mint,
    memo,
    at: NOW - 9 * DAY,
    type: subscriptionOf({ next_payment_due: String(NOW) }),
  })
  const signatures: string[] = []
  for (const [nth, amount] of amounts.entries())
    signatures.push(await chain.pay(policy, NOW - (8 - nth) * DAY, { amount }))
  return signatures
}
const coffee = await sell('coffee-1', usdc, [450, 900, 450])
await sell('coffee-2', usdc, [900])
await sell('mug', sol, [7, 70])
await sell('coffee-3', usdc, [450], other.gateway)
await chain.finalize()
await sell('late', usdc, [1_000])
await chain.retract(coffee[2]!)

const read = async (query: string) => {
  const answer = await api.get(`/v1/gateway/${gateway}/merchant/payments?${query}`, { headers })
  t.equal(answer.status, 200, query)
  return {
    ...answer,
    body: answer.body as {
      items: { amountString: string; trackingId: string }[]
      byToken: { totalAmount: string }[]
      complete: boolean
    },
  }
}
const fileOf = async (query: string) => {
  const { text } = await api.get(`/v1/gateway/${gateway}/merchant/export/payments?${query}`, { headers })
  return text.trim().split('\r\n').slice(1)
}

t.test('each filter lists, sums up and exports the same payments', async t => {
  for (const [query, amounts, sums] of [
    [
      '',
      [1000, 900, 450, 900, 7, 70],
      [
        [usdc, 4, '3250'],
        [sol, 2, '77'],
      ],
    ],
    [`tokenMint=${sol}`, [7, 70], [[sol, 2, '77']]],
    ['standing=confirmed', [1000], [[usdc, 1, '1000']]],
    ['standing=finalized&minAmount=100', [900, 450, 900], [[usdc, 3, '2250']]],
    ['standing=retracted', [450], [[usdc, 1, '450']]],
    ['minAmount=900&maxAmount=999', [900, 900], [[usdc, 2, '1800']]],
    ['trackingId=coffee-', [900, 450, 900], [[usdc, 3, '2250']]],
    ['trackingId=COFFEE', [], []],
    ['trackingId=offee-', [], []],
    [
      `startTime=${new Date((NOW - 7.5 * DAY) * 1000).toISOString()}`,
      [900, 70],
      [
        [usdc, 1, '900'],
        [sol, 1, '70'],
      ],
    ],
  ] as const) {
    const { body } = await read(query)
    const found = body.items.map(({ amountString }) => Number(amountString))
    t.same(found.toSorted(), [...amounts].toSorted(), query)
    const byAmount = (a: { totalAmount: string }, b: { totalAmount: string }) =>
      Number(b.totalAmount) - Number(a.totalAmount)
    t.strictSame(
      body.byToken.toSorted(byAmount),
      sums.map(([tokenMint, count, totalAmount]) => ({ tokenMint, count, totalAmount })),
      query,
    )
    t.equal(body.complete, true)
    t.equal((await fileOf(query)).length, amounts.length, `the file of ${query}`)
  }
})

t.test('in the order of time with a cursor, and by amount', async t => {
  const pages: string[] = []
  let query = 'limit=2&trackingId=coffee'
  for (;;) {
    const { body, headers: answered } = await read(query)
    pages.push(...body.items.map(({ amountString }) => amountString))
    const next = String(answered['x-next-cursor'] ?? '')
    if (next === '') break
    query = `cursor=${next}`
  }
  t.same(pages.toSorted(), ['450', '900', '900'])
  const amountsOf = async (sort: string) =>
    (await read(`sort=${sort}`)).body.items.map(each => each.amountString)
  t.same(await amountsOf('largest'), ['1000', '900', '900', '450', '70', '7'])
  t.same(await amountsOf('smallest'), ['7', '70', '450', '900', '900', '1000'])
  t.same((await read('sort=largest&limit=1&offset=3')).body.items[0]?.amountString, '450')
})
