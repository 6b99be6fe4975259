// The routes of expected payments, as a gateway and a buyer's page use them. Who may use which: test/access.
import { buildAddress, buildChain, waitFor, workAsIngest } from '@payment-tracking/testkit'
import t from 'tap'
import { addSignedIn, openGatewayApi } from '../gateway-auth/open-gateway-api.js'
import { storeMessages } from '../store-messages.js'

const api = await openGatewayApi(t)
workAsIngest(t, api.store)
const shop = await addSignedIn(api)
const other = await addSignedIn(api)
const { address } = shop.gateway
const PATH = `/v1/gateway/${address}/expectations`
const [recipient, tokenMint] = [buildAddress('till'), buildAddress('token')]
const MOST = 18446744073709551615n
let orders = 0

const termsOf = (over: Record<string, unknown> = {}) => ({
  trackingId: `order-${(orders += 1)}`,
  recipient,
  tokenMint,
  amount: '100',
  ...over,
})
const post = (body: unknown) => api.call('POST', PATH, { token: shop.token, body })
const get = (path: string, token?: string) => api.call('GET', path, { token })
const chain = buildChain({ seed: 'expectations', firstSlot: 1_000 })
const pay = (trackingId: string, amount: bigint, over: { recipient?: string; tokenMint?: string } = {}) =>
  storeMessages(
    api,
    chain.payDirectly({
      gateway: other.gateway.address,
      trackingId,
      amount,
      payer: buildAddress('buyer'),
      recipient,
      tokenMint,
      ...over,
    }),
  )

t.test('a payment is expected, paid in parts, and read by everybody who knows the id', async t => {
  const terms = termsOf({ amount: MOST.toString(), reference: 'cart 9', expiresAt: '2099-01-01T00:00:00Z' })
  const later = await post(terms)
  t.match(later, { status: 400, body: { code: 'INVALID_BODY' } }, 'more than 366 days ahead')
  const expiresAt = new Date(Date.now() + 366 * 86_400_000 - 60_000).toISOString()
  const created = await post({ ...terms, expiresAt })
  t.match(created, {
    status: 201,
    body: {
      gateway: address,
      trackingId: terms.trackingId,
      recipient,
      tokenMint,
      amountString: MOST.toString(),
      state: 'open',
      paidAmount: 0,
      paidAmountString: '0',
      paymentCount: 0,
      late: false,
      finality: null,
      payments: [],
      reference: 'cart 9',
      expiresAt,
    },
  })
  t.same(Object.keys(created.body as object).sort(), [
    ...[
      'amount',
      'amountString',
      'changedAt',
      'createdAt',
      'eventId',
      'expiresAt',
      'finality',
      'gateway',
      'id',
    ],
    'late',
    ...['paidAmount', 'paidAmountString', 'paymentCount', 'payments', 'recipient', 'reference', 'state'],
    ...['tokenMint', 'trackingId'],
  ])
  const again = await post({ ...terms, expiresAt })
  t.match(again, { status: 200, body: created.body as object })
  const { id } = created.body as { id: string }

  await pay(terms.trackingId, 1n, { recipient: buildAddress('thief') })
  await pay(terms.trackingId, 1n, { tokenMint: buildAddress('play money') })
  await pay(`${terms.trackingId}0`, 1n)
  await pay(terms.trackingId, MOST - 1n)
  const part = await get(`/v1/expectations/${id}`)
  t.match(part, {
    status: 200,
    body: { state: 'underpaid', paidAmountString: String(MOST - 1n), paymentCount: 1 },
  })
  t.notOk('reference' in (part.body as object), 'the reference is the gateway’s own')
  t.equal(part.headers['cache-control'], 'no-store')
  await pay(terms.trackingId, MOST)
  const own = await get(`${PATH}/${id}`, shop.token)
  t.match(own, {
    status: 200,
    body: {
      state: 'overpaid',
      paidAmountString: String(2n * MOST - 1n),
      finality: 'confirmed',
      reference: 'cart 9',
    },
  })
  const { payments, eventId } = own.body as { payments: string[]; eventId: string }
  t.equal(payments.length, 2)
  t.ok(payments.includes(eventId), 'the payment that changed it last is named')
  const paidAlready = await api.call('POST', `${PATH}/${id}/cancel`, { token: shop.token })
  t.match(paidAlready, { status: 409, body: { code: 'EXPECTATION_PAID' } })
})

t.test('a date in expiresAt is until the end of that day, in UTC', async t => {
  const today = new Date().toISOString().slice(0, 10)
  const terms = termsOf({ expiresAt: today })
  t.match(await post(terms), { status: 201, body: { expiresAt: `${today}T23:59:59.999Z` } })
  t.equal((await post({ ...terms, expiresAt: `${today}T23:59:59.999Z` })).status, 200)
  const refused = await post(termsOf({ expiresAt: 'soon' }))
  t.match(refused.body, { error: /^Field expiresAt must be an ISO 8601 date or date-time/ })
})

t.test('what is stored already counts at once', async t => {
  const terms = termsOf()
  await pay(terms.trackingId, 100n)
  t.match(await post(terms), { status: 201, body: { state: 'paid', paymentCount: 1 } })
})

t.test('the three are used once for ever', async t => {
  const terms = termsOf()
  const { body } = await post(terms)
  const { id } = body as { id: string }
  for (const over of [
    { amount: '101' },
    { reference: 'x' },
    { expiresAt: new Date(Date.now() + 1e6).toISOString() },
  ]) {
    const refused = await post({ ...terms, ...over })
    t.match(refused, { status: 409, body: { code: 'EXPECTATION_EXISTS', id } })
    t.ok((refused.body as { error: string }).error.includes(id), 'the sentence names the id')
  }
  const cancel = () => api.call('POST', `${PATH}/${id}/cancel`, { token: shop.token })
  t.match(await cancel(), { status: 200, body: { state: 'cancelled' } })
  t.match(await cancel(), { status: 200, body: { state: 'cancelled' } })
  t.match(await post({ ...terms, amount: 7 }), { status: 409, body: { id } }, 'also after cancelling')
  await pay(terms.trackingId, 100n)
  const shownCancelled = await get(`${PATH}/${id}`, shop.token)
  t.match(shownCancelled, { body: { state: 'cancelled', paidAmount: 0, payments: [] } })
  const foreign = `/v1/gateway/${other.gateway.address}/expectations`
  const theirs = await api.call('POST', foreign, { token: other.token, body: { ...terms, amount: 5 } })
  t.match(theirs, { status: 201, body: { state: 'overpaid' } }, 'another gateway may use the same')
})

t.test('bad input is refused, and leaves nothing', async t => {
  const before = await api.database.pool.query('select count(*)::int as count from expectations')
  const wrong: [string, Record<string, unknown>][] = [
    ['amount', { amount: 0 }],
    ['amount', { amount: '0' }],
    ['amount', { amount: -1 }],
    ['amount', { amount: '18446744073709551616' }],
    ['amount', { amount: 10.5 }],
    ['amount', { amount: '10.0' }],
    ['amount', { amount: null }],
    ['recipient', { recipient: 'nobody' }],
    ['tokenMint', { tokenMint: '1' }],
    ['trackingId', { trackingId: '' }],
    ['trackingId', { trackingId: 'x'.repeat(65) }],
    ['trackingId', { trackingId: 5 }],
    ['expiresAt', { expiresAt: '2020-01-01T00:00:00Z' }],
    ['expiresAt', { expiresAt: 'soon' }],
    ['expiresAt', { expiresAt: new Date(Date.now() + 367 * 86_400_000).toISOString() }],
    ['reference', { reference: 'é'.repeat(33) }],
    ['reference', { reference: 9 }],
    ['price', { price: 1 }],
  ]
  for (const [field, over] of wrong) {
    const refused = await post(termsOf(over))
    t.match(refused, { status: 400, body: { code: 'INVALID_BODY' } }, JSON.stringify(over))
    t.ok((refused.body as { error: string }).error.includes(field), `${field} is named`)
  }
  const raw = (payload: string) =>
    api.apps[0]!.inject({
      method: 'POST',
      url: PATH,
      headers: { authorization: `Bearer ${shop.token}`, 'content-type': 'application/json' },
      payload,
    })
  const text = (amount: string) =>
    `{"trackingId":"literal ${amount}","recipient":"${recipient}","tokenMint":"${tokenMint}","amount":${amount}}`
  for (const amount of ['18446744073709551616', '10.0', '1e3', '-0'])
    t.equal((await raw(text(amount))).statusCode, 400, amount)
  t.equal((await raw('{"trackingId":')).statusCode, 400)
  t.equal((await raw('')).statusCode, 400)
  t.same((await api.database.pool.query('select count(*)::int as count from expectations')).rows, before.rows)
  const literal = await raw(text('18446744073709551615'))
  t.equal(literal.statusCode, 201)
  t.match(literal.body, '"amount":18446744073709551615,', 'a literal keeps every digit')
})

t.test('one of another gateway is not found, and no id is 404 or 400', async t => {
  const { body } = await post(termsOf())
  const { id } = body as { id: string }
  const theirs = `/v1/gateway/${other.gateway.address}/expectations/${id}`
  t.match(await get(theirs, other.token), { status: 404, body: { code: 'NOT_FOUND' } })
  t.match(await api.call('POST', `${theirs}/cancel`, { token: other.token }), { status: 404 })
  t.match(await get('/v1/expectations/00000000-0000-4000-8000-000000000000'), { status: 404 })
  t.match(await get('/v1/expectations/7'), { status: 400, body: { code: 'INVALID_PARAMETER' } })
})

t.test('lists are newest first, by state and tracking ID, and paged', async t => {
  const seller = await addSignedIn(api)
  const path = `/v1/gateway/${seller.gateway.address}/expectations`
  const add = async (over: Record<string, unknown>) =>
    (await api.call('POST', path, { token: seller.token, body: termsOf(over) })).body as {
      id: string
      trackingId: string
    }
  const made: { id: string; trackingId: string }[] = []
  for (let count = 0; count < 5; count++) made.unshift(await add({}))
  const list = async (query = '') => {
    const { body, headers } = await get(`${path}${query}`, seller.token)
    return {
      ids: (body as { id: string }[]).map(({ id }) => id),
      next: headers['x-next-cursor'] as string | undefined,
    }
  }
  const ids = made.map(({ id }) => id)
  t.same((await list()).ids, ids)
  const first = await list('?limit=2')
  t.same(first.ids, ids.slice(0, 2))
  const second = await list(`?limit=2&cursor=${first.next}`)
  t.same(second.ids, ids.slice(2, 4))
  const third = await list(`?cursor=${second.next}&limit=2`)
  t.same([third.ids, third.next], [ids.slice(4), undefined])
  await pay(made[0]!.trackingId, 100n)
  await pay(made[1]!.trackingId, 1n)
  // What is paid before ingest has looked at an expectation is counted when it looks.
  await waitFor(async () => (await list('?state=paid')).ids.length > 0, { what: 'the payment to be counted' })
  await api.database.pool.query(
    `update expectations set expires_at = now() - interval '1 s' where id = any($1)`,
    [ids.slice(1, 3)],
  )
  t.same((await list('?state=paid')).ids, ids.slice(0, 1))
  t.same((await list('?state=expired')).ids, ids.slice(1, 3), 'expired before it is written')
  t.same((await list('?state=open')).ids, ids.slice(3))
  t.same((await list('?state=underpaid')).ids, [])
  t.same((await list(`?trackingId=${made[3]!.trackingId}`)).ids, [ids[3]])
  t.match(await get(`${path}?state=gone`, seller.token), { status: 400 })
  t.match(await get(`${path}?cursor=abc`, seller.token), { status: 400 })
})

t.test('at most 100,000 are open', async t => {
  const seller = await addSignedIn(api)
  const fill = (count: number) =>
    api.database.pool.query(
      `insert into expectations (gateway, tracking_id, recipient, token_mint, amount)
       select $1, 'filled ' || n, $2, $3, 1 from generate_series(1, $4::int) n`,
      [seller.gateway.address, recipient, tokenMint, count],
    )
  await fill(99_998)
  await api.database.pool.query(
    `insert into expectation_counts (gateway, writer, open) values ($1, 'ingest', 90000), ($1, 'scheduler', 9998)`,
    [seller.gateway.address],
  )
  const path = `/v1/gateway/${seller.gateway.address}/expectations`
  const bodies = Array.from({ length: 6 }, () => termsOf())
  const answers = await Promise.all(bodies.map(body => api.call('POST', path, { token: seller.token, body })))
  t.same(answers.map(({ status }) => status).sort(), [201, 201, 409, 409, 409, 409])
  t.match(answers.find(({ status }) => status === 409)?.body, { code: 'TOO_MANY_EXPECTATIONS' })
  const made = answers.findIndex(({ status }) => status === 201)
  const kept = bodies[made]
  t.match(await api.call('POST', path, { token: seller.token, body: kept }), { status: 200 }, 'the same')
})
