// The feed over REST: cursors, waits, limits and who may read it. What it tells is held by the laws of the store, and by
// test/e2e/feed.test.ts.
import { FEED_TYPES } from '@payment-tracking/domain'
import { encodeFeedCursor } from '@payment-tracking/store'
import { waitFor } from '@payment-tracking/testkit'
import t from 'tap'
import { addSignedIn, openGatewayApi } from '../gateway-auth/open-gateway-api.js'
import { memoOf, tellChain } from '../tell-chain.js'

const api = await openGatewayApi(t)
const chain = tellChain(api.store)
let at = 1_790_000_000
let paid = 0

type Shop = Awaited<ReturnType<typeof addSignedIn>>
const pay = (gateway: string) =>
  chain.transfer(
    {
      gateway,
      amount: 5,
      memo: memoOf(`order-${++paid}`),
    },
    ++at,
  )

interface Body {
  id: string
  type: string
  data: { trackingId: string }
}

/** What is told: a page, or a refusal. */
interface Told {
  items: Body[]
  next: string
  error: string
}

// Over sockets: who waits holds one.
const baseUrl = await api.apps[0]!.listen({ port: 0, host: '127.0.0.1' })
const read = async (shop: Shop, query = '', token = shop.token, signal?: AbortSignal) => {
  const answer = await fetch(`${baseUrl}/v1/gateway/${shop.gateway.address}/feed?${query}`, {
    headers: { authorization: `Bearer ${token}` },
    ...(signal && { signal }),
  })
  return { status: answer.status, headers: answer.headers, body: (await answer.json()) as Told }
}
const idsOf = ({ body }: { body: { items: Body[] } }) => body.items.map(({ data }) => data.trackingId)

t.test('a feed is read in pages, with or without an endpoint, and says where to go on', async t => {
  const shop = await addSignedIn(api)
  const empty = await read(shop)
  t.same(empty.body.items, [])
  await pay(shop.gateway.address)
  await pay(shop.gateway.address)
  await pay((await api.addGateway()).address)
  t.equal(idsOf(await read(shop)).length, 2, 'of the gateway alone')
  const first = await read(shop, `limit=1&after=${empty.body.next}`)
  const second = await read(shop, `limit=1&after=${first.body.next}`)
  t.same([...idsOf(first), ...idsOf(second)], [`order-${paid - 2}`, `order-${paid - 1}`])
  const end = await read(shop, `after=${second.body.next}`)
  t.same(end.body.items, [])
  await pay(shop.gateway.address)
  t.same(idsOf(await read(shop, `after=${end.body.next}`)), [`order-${paid}`])
  t.same(
    (await read(shop, 'types=payment.retracted')).body.items,
    [],
    'without types that were not asked for',
  )
})

t.test('a retraction stands behind its payment, which stays', async t => {
  const shop = await addSignedIn(api)
  const signature = await pay(shop.gateway.address)
  const { next } = (await read(shop)).body
  await chain.retract(signature)
  const types = 'types=payment.executed,payment.retracted'
  const typesOf = ({ body }: { body: { items: Body[] } }) => body.items.map(({ type }) => type)
  t.same(typesOf(await read(shop, types)), ['payment.executed', 'payment.retracted'])
  t.same(typesOf(await read(shop, `${types}&after=${next}`)), ['payment.retracted'])
  t.same(typesOf(await read(shop)), ['payment.executed'])
})

t.test('types that nobody knows are refused, and those of the feed are named', async t => {
  const shop = await addSignedIn(api)
  for (const types of ['payment.late', 'payment.executed,', 'subscription.overdue', 'webhook.test']) {
    const { status, body } = await read(shop, `types=${types}`)
    t.match({ status, body }, { status: 400, body: { code: 'INVALID_PARAMETER' } }, types)
    for (const type of FEED_TYPES) t.match(body.error, type)
  }
  t.equal((await read(shop, `types=${FEED_TYPES.join()}`)).status, 200)
  for (const query of ['wait=26', 'limit=0', 'after=x', 'since=0'])
    t.match(await read(shop, query), { status: 400, body: { code: 'INVALID_PARAMETER' } }, query)
})

t.test('the feed is read by the gateway, or by a key with the scope', async t => {
  const shop = await addSignedIn(api)
  const stranger = await addSignedIn(api)
  const keyWith = async (...scopes: string[]) =>
    (await api.call('POST', '/v1/api-keys', { token: shop.token, body: { name: 'feed', scopes } })).body.key
  t.equal((await read(shop, '', await keyWith('webhooks:read'))).status, 200)
  t.match(await read(shop, '', await keyWith('webhooks:write', 'merchant:read')), {
    status: 403,
    body: { code: 'SCOPE_MISSING' },
  })
  t.match(await read(shop, '', stranger.token), { status: 403, body: { code: 'FORBIDDEN' } })
  t.match(await read(shop, 'wait=25', stranger.token), { status: 403 })
  t.equal((await api.call('GET', `/v1/gateway/${shop.gateway.address}/feed`)).status, 401)
})

t.test('who waits is answered when there is a message, and holds nothing meanwhile', async t => {
  const shop = await addSignedIn(api)
  const quiet = await addSignedIn(api)
  const { next } = (await read(shop)).body
  const answers: number[] = []
  const wait = async (of: Shop) => {
    const answer = await read(of, `wait=25&after=${next}`)
    answers.push(answer.status)
    return answer
  }
  // As many as may wait, and more than one client runs at once, or the pool has connections.
  const waiting = Array.from({ length: 20 }, () => wait(shop))
  const other = wait(quiet)
  // The first answer is the refusal: all others wait.
  const refused = await Promise.race([...waiting, wait(shop)])
  t.match(refused, { status: 429, body: { code: 'TOO_MANY_CONNECTIONS' } })
  t.same(answers, [429])
  await pay(shop.gateway.address)
  for (const answer of await Promise.all(waiting)) t.same(idsOf(answer), [`order-${paid}`])
  t.equal((await read(shop, `wait=1&after=${next}`)).status, 200, 'and may wait again')
  await pay(quiet.gateway.address)
  t.same(idsOf(await other), [`order-${paid}`])
})

/** Takes every place of a gateway. @returns those that wait: one more was refused, whichever came last */
async function takeAll(shop: Shop, signal?: AbortSignal) {
  const { next } = (await read(shop)).body
  const all = Array.from({ length: 21 }, () => read(shop, `wait=25&after=${next}`, shop.token, signal))
  t.equal((await Promise.race(all)).status, 429)
  return { next, all }
}

t.test('who goes away while it waits, waits no more', async t => {
  const shop = await addSignedIn(api)
  const ended = new AbortController()
  const { next, all } = await takeAll(shop, ended.signal)
  ended.abort()
  const left = await Promise.allSettled(all)
  t.equal(left.filter(({ status }) => status === 'rejected').length, 20)
  await waitFor(async () => (await read(shop, `wait=1&after=${next}`)).status === 200, {
    what: 'a place to be free',
  })
})

t.test('a wait ends without a message', async t => {
  const shop = await addSignedIn(api)
  const { next } = (await read(shop)).body
  const answer = await read(shop, `wait=1&after=${next}`)
  t.match(answer, { status: 200, body: { items: [] } })
})

t.test('a cursor from before the archive, or of another database, is refused', async t => {
  const shop = await addSignedIn(api)
  await pay(shop.gateway.address)
  const { next } = (await read(shop)).body
  const { rows } = await api.database.pool.query<{ epoch: string; position: string }>(
    'select epoch, position from stream_head',
  )
  const { epoch, position } = rows[0]!
  await pay(shop.gateway.address)
  await api.database.pool.query(`update stream_head set first_position = position`)
  await api.database.pool.query(
    `insert into archive_parts (month, part, file, sha256, bytes, count, first_position, last_position)
     values ('2026-03', 1, 'f', 's', 1, 1, 1, $1)`,
    [position],
  )
  const cursor = (place: bigint) => encodeFeedCursor({ epoch, position: place, place: 0n })
  const end = BigInt(position)
  t.match(await read(shop, `after=${cursor(end - 1n)}`), {
    status: 410,
    body: { code: 'ARCHIVED', archivedMonth: '2026-03' },
  })
  t.same(idsOf(await read(shop, `after=${cursor(end)}`)), [`order-${paid}`], 'the first that is left')
  t.same(idsOf(await read(shop, `after=${next}`)), [`order-${paid}`])
  t.same(idsOf(await read(shop)), [`order-${paid}`], 'without a cursor it begins there')
  await api.database.pool.query('update stream_head set first_position = 0, epoch = gen_random_uuid()')
  t.match(await read(shop, `after=${next}`), { status: 400, body: { code: 'INVALID_PARAMETER' } })
})

t.test('a process that stops answers who waits', async t => {
  const { all } = await takeAll(await addSignedIn(api))
  await api.apps[0]!.close()
  const answers = await Promise.all(all)
  t.equal(answers.filter(({ status, body }) => status === 200 && body.items.length === 0).length, 20)
})
