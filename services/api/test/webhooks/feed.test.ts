// The feed over REST: cursors, waits and limits. What it lists is held by the laws of the store, and by test/e2e/feed.test.ts;
// who may read it, by test/access. All read the feeds of one database, so it is one file of more than 300 lines.
import { bodyInFormat, WEBHOOK_EVENT_TYPES } from '@payment-tracking/domain'
import { deactivateWebhooks, noteWebhookHealth } from '@payment-tracking/store/deliveries'
import { FEED_CURSOR } from '@payment-tracking/store/reads'
import { notifyDuePolicies, notifyFailures, type CachedAsks } from '@payment-tracking/store/messages'
import { verifyDatabase } from '@payment-tracking/store/ingest'
import { waitFor, SENT } from '@payment-tracking/testkit'
import t from 'tap'
import { addSignedIn, openGatewayApi } from '../gateway-auth/open-gateway-api.js'
import { keyOf, memoOf, subscriptionOf, openChain } from '../open-chain.js'

const api = await openGatewayApi(t, { pods: 2 })
const chain = openChain(api.store)
const NOW = 1_790_000_000
let at = NOW
let paid = 0

type Shop = Awaited<ReturnType<typeof addSignedIn>>
/** Comes by a session where it has a cookie. */
type Reader = Pick<Shop, 'gateway' | 'token'> & { cookie?: string }
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

/** The longest that a request may wait. */
const WAIT_MS = 25_000
/** Once one request hangs, for example for a place of its client, every other fails at once. */
const hanging = new AbortController()

// Over sockets: who waits holds one.
const baseUrl = await api.apps[0]!.listen({ port: 0, host: '127.0.0.1' })
const read = async (shop: Reader, query = '', signal?: AbortSignal) => {
  const timer = setTimeout(() => hanging.abort(new Error('a request hangs')), 2 * WAIT_MS)
  try {
    const answer = await fetch(`${baseUrl}/v1/gateway/${shop.gateway.address}/feed?${query}`, {
      headers: shop.cookie ? { cookie: shop.cookie } : { authorization: `Bearer ${shop.token}` },
      signal: AbortSignal.any([hanging.signal, ...(signal ? [signal] : [])]),
    })
    // A page, or a refusal.
    const body = (await answer.json()) as { items: Body[]; next: string; error: string }
    return { status: answer.status, headers: answer.headers, body }
  } finally {
    clearTimeout(timer)
  }
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
  t.same((await read(shop, 'types=payment.retracted')).body.items, [], 'no types that were not asked for')
})

t.test('types that nobody knows are refused, and those of the feed are named', async t => {
  const shop = await addSignedIn(api)
  for (const types of ['payment.late', 'payment.executed,', 'webhook.test']) {
    const { status, body } = await read(shop, `types=${types}`)
    t.match({ status, body }, { status: 400, body: { code: 'INVALID_PARAMETER' } }, types)
    for (const type of WEBHOOK_EVENT_TYPES) t.match(body.error, type)
  }
  t.equal((await read(shop, `types=${WEBHOOK_EVENT_TYPES.join()}`)).status, 200)
  for (const query of ['wait=26', 'limit=0', 'after=x', 'since=0'])
    t.match(await read(shop, query), { status: 400, body: { code: 'INVALID_PARAMETER' } }, query)
})

t.test('the URL of a chat’s webhook, its secret, stood in notices to others and in the feed', async t => {
  const shop = await addSignedIn(api)
  const { body: chat } = await shop.addWebhook({
    endpoint_url: 'https://hooks.chat.example:8443/services/T0/hidden-path?key=hidden-query',
  })
  const others = [{ eventTypes: ['webhook.failing', 'webhook.deactivated'] }, { format: 'slack' }]
  const ids = await Promise.all(others.map(async choices => (await shop.addWebhook(choices)).body.id))
  const failed = [BigInt(chat.id)]
  await noteWebhookHealth(api.store, { failed, lost: failed, succeeded: [] }, 1)
  await notifyFailures(api.store)
  await deactivateWebhooks(api.store, failed, 'failing')

  const { body: feed } = await read(shop, 'types=webhook.failing,webhook.deactivated')
  const named = {
    webhookId: chat.id,
    gateway: shop.gateway.address,
    origin: 'https://hooks.chat.example:8443',
  }
  t.match(feed.items, [
    { type: 'webhook.failing', data: named },
    { type: 'webhook.deactivated', data: named },
  ])
  const { rows } = await api.database.pool.query<{ type: string; body: string }>(
    `select type, body from ${SENT} d where webhook_id = any($1) order by id`,
    [ids],
  )
  t.equal(rows.length, 4)
  const lines = rows.map(row => bodyInFormat(row, 'slack', new Map()))
  for (const line of lines) t.match(line, `webhook ${chat.id}`)
  const { body: changes } = await api.call('GET', `/v1/gateway/${shop.gateway.address}/changes`, shop)
  t.match(changes, [
    { kind: 'webhook.deactivated', subject: String(chat.id), name: 'hooks.chat.example:8443' },
  ])
  t.notMatch(JSON.stringify([feed, rows, lines, changes]), /hidden/)
})

t.test('dates are sent once the feed is read for them, or an endpoint asks', async t => {
  const DAY = 86_400
  const now = Math.floor(Date.now() / 1000)
  const [reader, teller, quiet] = [await addSignedIn(api), await addSignedIn(api), await addSignedIn(api)]
  await teller.addWebhook({ eventTypes: WEBHOOK_EVENT_TYPES })
  const dues = { due_soon: now + DAY, overdue: now - DAY }
  for (const { gateway } of [reader, teller, quiet])
    for (const [memo, due] of Object.entries(dues))
      await chain.policy({
        gateway: gateway.address,
        owner: keyOf(gateway.address),
        memo,
        at: now - 60 * DAY,
        type: subscriptionOf({ payment_frequency: { Weekly: null }, next_payment_due: String(due) }),
      })
  const cached: CachedAsks = new Map()
  const round = () =>
    notifyDuePolicies(api.store, { soonSeconds: 3 * DAY, graceSeconds: 7_200, limit: 500, cached })
  const types = 'types=subscription.due_soon,subscription.overdue,subscription.expired'
  const typesOf = ({ body }: { body: { items: Body[] } }) => body.items.map(({ type }) => type).sort()
  const both = ['subscription.due_soon', 'subscription.overdue']

  t.equal(await round(), 2, 'those that the endpoint asks for')
  t.same(typesOf(await read(reader, `types=subscription.created,${both.join()}`)), [
    'subscription.created',
    'subscription.created',
  ])
  t.equal(await round(), 2, 'what holds already, in a process that knew the others')
  t.same(typesOf(await read(reader, types)), both)
  t.same(typesOf(await read(reader, 'types=subscription.overdue')), both.slice(1))
  t.equal(await round(), 0, 'each once')
  t.equal(await round(), 0)

  const { rows } = await api.database.pool.query<{ body: string }>(
    `select m.body from deliveries d join messages m on m.id = d.message join webhooks w on w.id = d.webhook_id
      where w.gateway = $1 and d.type = any($2) order by d.type`,
    [teller.gateway.address, both],
  )
  t.equal(rows.length, 2)
  const { items } = (await read(teller, types)).body
  const byType = items.sort((a, b) => a.type.localeCompare(b.type))
  t.same(
    byType,
    rows.map(({ body }) => JSON.parse(body) as Body),
  )
  await read(quiet, 'types=subscription.created')
  t.equal(await round(), 0)
  t.same(
    (
      await api.database.pool.query('select from messages where gateway = $1 and event_id is null', [
        quiet.gateway.address,
      ])
    ).rowCount,
    0,
    'nobody looks at the dates of another gateway',
  )
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
  // 21 requests are one more than may wait, and more than one client sends at once or the pool has connections. Any of them
  // may arrive last.
  const all = Array.from({ length: 21 }, () => wait(shop))
  const other = wait(quiet)
  // The first answer is the refusal: all others wait.
  const refused = await Promise.race(all)
  t.match(refused, { status: 429, body: { code: 'TOO_MANY_CONNECTIONS' } })
  t.same(answers, [429])
  await pay(shop.gateway.address)
  const waited = (await Promise.all(all)).filter(answer => answer !== refused)
  for (const answer of waited) t.same(idsOf(answer), [`order-${paid}`])
  t.equal((await read(shop, `wait=1&after=${next}`)).status, 200, 'and may wait again')
  await pay(quiet.gateway.address)
  t.same(idsOf(await other), [`order-${paid}`])
})

/** Takes every place of a gateway. @returns those that wait: one more was refused, whichever came last */
async function takeAll(shop: Shop, signal?: AbortSignal) {
  const { next } = (await read(shop)).body
  const all = Array.from({ length: 21 }, () => read(shop, `wait=25&after=${next}`, signal))
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

t.test('a cursor died whole when commits were lost, although what came before is shared', async t => {
  const verify = () =>
    verifyDatabase(api.store, { readRecord: () => Promise.resolve(null), reingestMargin: 0 })
  const { pool } = api.database
  const failOver = async () => {
    await pool.query(`update stream_head set verified_timeline = 'of the server before'`)
    return verify()
  }
  await verify()
  const shop = await addSignedIn(api)
  const types = 'types=payment.executed,subscription.created,subscription.expired'
  const first = await pay(shop.gateway.address).then(() => read(shop, types))
  await pay(shop.gateway.address)
  await chain.policy({ gateway: shop.gateway.address, memo: 'plan', at: NOW, type: subscriptionOf() })
  // What time says has no position of its own: the server that was lost, and the promoted one before it was verified, gave one
  // number to two messages.
  const say = (id: string, sequence: string) =>
    pool.query<{ sequence: string }>(
      `insert into messages (sequence, gateway, position, type, message_id, body) select ${sequence}, $1, position, 'subscription.expired', $2, $3 from stream_head`,
      [shop.gateway.address, id, JSON.stringify({ id, data: { trackingId: id } })],
    )
  const highest = '(select coalesce(max(sequence), 0) from messages)'
  await say('lost', `${highest} + 1`)
  const last = await read(shop, types)
  t.same(idsOf(last).slice(1), [`order-${paid}`, 'plan', 'lost'])
  await pool.query(`delete from messages where message_id = 'lost'`)
  await say('promoted', `${highest} + 1`)
  const { position } = await failOver()
  await pay(shop.gateway.address)

  const again = await read(shop, `${types}&after=${first.body.next}`)
  t.same(idsOf(again), [`order-${paid - 1}`, 'plan', 'promoted', `order-${paid}`], 'goes on in the middle')
  const end = await read(shop, `${types}&after=${last.body.next}`)
  t.same(idsOf(end).slice(-2), ['promoted', `order-${paid}`], 'and at the end, where nothing is skipped')
  t.notOk(idsOf(end).includes(`order-${paid - 1}`))
  t.same(idsOf(await read(shop, `${types}&after=${end.body.next}`)), [], 'a cursor of the present epoch')

  const lost = FEED_CURSOR.read(last.body.next)!
  for (const key of [
    { ...lost, position: position + 1n },
    { ...lost, epoch: '00000000-0000-4000-8000-000000000000' },
  ])
    t.match(await read(shop, `after=${FEED_CURSOR.write(key)}`), {
      status: 400,
      body: { code: 'INVALID_PARAMETER', error: /another database/ },
    })
  await failOver()
  t.same(idsOf(await read(shop, `${types}&after=${first.body.next}`)), idsOf(again), 'also two epochs later')
})

/** A request that has come with a key of its own, and waits. */
async function waitByKey(shop: Shop) {
  const { body } = await api.call('POST', '/v1/api-keys', {
    token: shop.token,
    body: { name: 'server', scopes: ['webhooks:read'] },
  })
  const { id, key } = body as { id: number; key: string }
  const { next } = (await read(shop)).body
  const reader = { gateway: shop.gateway, token: key }
  const beganAt = performance.now()
  const answer = read(reader, `wait=25&after=${next}`)
  const used = 'select from api_keys where id = $1 and last_used_at is not null'
  await waitFor(async () => (await api.database.pool.query(used, [id])).rowCount === 1, {
    what: 'the request',
  })
  const endedAtOnce = async () => {
    t.match(await answer, { status: 401, body: { code: 'UNAUTHORIZED' } })
    t.match((await answer).headers.get('www-authenticate'), /^Bearer /)
    t.ok(performance.now() - beganAt < WAIT_MS, 'before its time is over')
  }
  return { id, answer, endedAtOnce }
}

t.test('a revoked key was told of payments for as long as its request waited', async t => {
  const shop = await addSignedIn(api)
  const first = await waitByKey(shop)
  const revoke = (id: number, app = api.apps[0]!) =>
    api.call('DELETE', `/v1/api-keys/${id}`, { token: shop.token, app })
  t.equal((await revoke(first.id)).status, 204)
  await first.endedAtOnce()

  const elsewhere = await waitByKey(shop)
  t.equal((await revoke(elsewhere.id, api.apps[1])).status, 204)
  await elsewhere.endedAtOnce()

  const lost = await waitByKey(shop)
  await api.database.pool.query(
    `with revoked as (update api_keys set revoked_at = now() where id = $1 returning gateway)
     insert into gateway_changes (gateway, kind, subject, fields) select gateway, 'api_key.revoked', $1::text, '{}' from revoked`,
    [lost.id],
  )
  await lost.endedAtOnce()

  const expired = await waitByKey(shop)
  const other = await waitByKey(shop)
  await api.database.pool.query('update api_keys set expires_at = now() where id = $1', [expired.id])
  await pay(shop.gateway.address)
  await expired.endedAtOnce()
  t.match(await other.answer, { status: 200 }, 'another key of the gateway hears of the payment')
  t.same(idsOf(await other.answer), [`order-${paid}`])
})

t.test('a session that was ended was told of payments for as long as its request waited', async t => {
  const shop = await addSignedIn(api)
  const { host } = new URL(baseUrl)
  const page = { host, origin: `http://${host}`, 'sec-fetch-site': 'same-origin' }
  const open = async () => {
    const { headers } = await api.call('POST', '/v1/session', { token: shop.token, headers: page })
    return /^([^;]*)/.exec(String(headers['set-cookie']))![1]!
  }
  for (const end of [
    (cookie: string) => api.call('DELETE', '/v1/session', { headers: { ...page, cookie } }),
    () => api.call('DELETE', '/v1/sessions', { token: shop.token }),
  ]) {
    const { next } = (await read(shop)).body
    const cookie = await open()
    const beganAt = performance.now()
    const answer = read({ ...shop, cookie }, `wait=25&after=${next}`)
    const used = 'select from gateway_sessions where gateway = $1 and used_at is not null'
    await waitFor(async () => (await api.database.pool.query(used, [shop.gateway.address])).rowCount === 1, {
      what: 'the request',
    })
    // One of these is refused once every place is taken: then the session's request waits too.
    const others = Array.from({ length: 20 }, () => read(shop, `wait=25&after=${next}`))
    t.equal((await Promise.race(others)).status, 429)
    t.equal((await end(cookie)).status, 204)
    t.match(await answer, { status: 401, body: { code: 'UNAUTHORIZED' } })
    t.ok(performance.now() - beganAt < WAIT_MS, 'before its time is over')
    await pay(shop.gateway.address)
    await Promise.all(others)
  }
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
  const cursor = (at: bigint) => FEED_CURSOR.write({ epoch, position: at, sequence: 0n })
  const end = BigInt(position)
  const archivedCursor = await read(shop, `after=${cursor(end - 1n)}`)
  t.match(archivedCursor, { status: 410, body: { code: 'ARCHIVED', archivedMonth: '2026-03' } })
  t.same(idsOf(await read(shop, `after=${cursor(end)}`)), [`order-${paid}`], 'the first that is left')
  await api.database.pool.query(`update stream_head set messages_begin = position + 1`)
  t.match(await read(shop, `after=${cursor(end + 1n)}`), { status: 200 })
  await api.database.pool.query(`update stream_head set messages_begin = position + 2`)
  await api.database.pool.query(`delete from archive_parts`)
  t.match(await read(shop, `after=${cursor(end)}`), {
    status: 410,
    body: { code: 'ARCHIVED', error: /^A feed keeps its messages for 30 days/ },
  })
  await api.database.pool.query(`update stream_head set messages_begin = 0`)
  t.same(idsOf(await read(shop, `after=${next}`)), [`order-${paid}`])
  t.same(idsOf(await read(shop)), [`order-${paid}`], 'without a cursor it begins there')
  await api.database.pool.query('update stream_head set first_position = 0, epoch = gen_random_uuid()')
  t.match(await read(shop, `after=${next}`), { status: 400, body: { code: 'INVALID_PARAMETER' } })
})

t.test('a process that stops answers who waits', async t => {
  const shop = await addSignedIn(api)
  const beganAt = performance.now()
  const { all } = await takeAll(shop)
  await api.apps[0]!.close()
  const answers = await Promise.all(all)
  t.ok(performance.now() - beganAt < WAIT_MS, 'before their time was over')
  t.equal(answers.filter(({ status, body }) => status === 200 && body.items.length === 0).length, 20)
})
