// The feed on its whole way: from the stream through ingest, while an endpoint of the gateway receives the same by webhooks.
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { controlSubjectOf } from '@payment-tracking/contracts'
import { WEBHOOK_EVENT_TYPES, isSignedDelivery } from '@payment-tracking/domain'
import { openRedis } from '@payment-tracking/redis'
import { buildJwtKeys } from '@payment-tracking/stack'
import {
  buildChain,
  openPublisher,
  openReceiver,
  startService,
  useEnvironment,
  waitFor,
  type ChainMessage,
} from '@payment-tracking/testkit'
import t from 'tap'
import { WebSocket } from 'ws'
import { openFeed } from '../../infra/stack/src/commands/dev-kit/follow-feed.js'
import { askJson } from '../ask-json.js'
import { signIn } from '../chaos/load/receivers.js'

t.test('the feed tells the bodies of an endpoint; a commit wakes who waits and who reads', async t => {
  const { database, settings } = await useEnvironment(t)
  const env = {
    ...settings,
    PORT: '0',
    JWT_PRIVATE_KEYS: buildJwtKeys(),
    RATE_LIMIT_MAX: '1000000',
    WEBHOOK_ALLOW_PRIVATE_TARGETS: 'on',
    // Signals of Redis alone wake them.
    'api.checkEveryMs': '3600000',
  }
  const [api] = await Promise.all(['api', 'ingest', 'webhook-worker'].map(name => startService(t, name, env)))
  const baseUrl = String((await api!.waitForLog('http.listening')).address)
  const publisher = await openPublisher(settings)
  t.teardown(() => publisher.close())
  const publish = async (...messages: ChainMessage[]) => {
    for (const message of messages) await publisher.publish(JSON.stringify(message))
  }
  const chain = buildChain({ seed: 'feed' })
  const [shop, other] = [await chain.openGateway('shop'), await chain.openGateway('other')]
  const [known, late] = [await chain.openUserPayment(), await chain.openUserPayment()]
  await publish(shop.created, other.created, known.created)
  await waitFor(async () => (await database.pool.query('select from gateways')).rowCount === 2, {
    what: 'the gateways',
  })
  const token = await signIn(baseUrl, shop)
  const receiver = await openReceiver(t)
  const registered = await askJson(`${baseUrl}/v1/webhooks`, {
    method: 'POST',
    token,
    body: {
      gateway_pubkey: shop.address,
      endpoint_url: `${receiver.url}hook`,
      eventTypes: WEBHOOK_EVENT_TYPES,
    },
  })
  t.equal(registered.status, 201)

  const read = async (query: string) => {
    const answer = await fetch(`${baseUrl}/v1/gateway/${shop.address}/feed?${query}`, {
      headers: { authorization: `Bearer ${token}` },
    })
    const text = await answer.text()
    const { next } = JSON.parse(text) as { next: string }
    // The bodies byte by byte.
    return { status: answer.status, next, items: /^\{"items":\[(.*)\],"next":"[\w-]+"\}$/.exec(text)![1]! }
  }
  const empty = await read('')
  t.same(empty, { status: 200, next: empty.next, items: '' })
  const waiting = read(`after=${empty.next}&wait=25`)
  const stream = new WebSocket(`${baseUrl.replace('http', 'ws')}/v1/events/stream`)
  t.teardown(() => stream.terminate())
  const streamed: { trackingId?: string }[] = []
  stream.on('message', (data: Buffer) => streamed.push(JSON.parse(data.toString('utf8'))))
  await waitFor(() => streamed.length === 1, { what: 'the head of the stream' })
  const first = chain.payDirectly({
    gateway: shop.address,
    payer: known.owner,
    recipient: known.owner,
    tokenMint: known.tokenMint,
    amount: 5_000_000n,
    trackingId: 'first',
  })
  await publish(first)
  const woken = await waiting
  const [delivery] = await receiver.waitForRequests(1)
  t.equal(woken.items, delivery!.body)
  await waitFor(() => streamed.some(({ trackingId }) => trackingId === 'first'), { what: 'the event' })

  // Policies come before and after their payments, and accounts behind both, so bodies differ from what is stored in the end.
  const policies = [
    await chain.openPolicy(shop, known, { trackingId: 'a' }),
    await chain.openPolicy(shop, late, { trackingId: 'b' }),
    await chain.openPolicy(other, known, { trackingId: 'c' }),
  ] as const
  const payments = policies.map(policy => [chain.pay(policy), chain.pay(policy), chain.pay(policy)])
  const settle = (deliveries: number) =>
    waitFor(
      async () => {
        const { rows } = await database.pool.query<{ state: string }>('select state from deliveries')
        return rows.length >= deliveries && rows.every(({ state }) => state === 'delivered')
      },
      { what: `${deliveries} deliveries`, timeoutMs: 60_000 },
    )
  await publish(payments[0]![0]!, policies[1].created, payments[1]![0]!)
  await settle(3)
  await publish(...policies.map(({ created }) => created), ...payments.flat(), late.created)
  await publish(chain.changeStatus(policies[0], 'Active', 'Paused'), chain.deletePolicy(policies[1]))
  await settle(11)
  const { signature, slot } = first
  const subject = controlSubjectOf(String(settings.SUBJECT_PREFIX), 'retracted')
  await publisher.publish(JSON.stringify({ subject, message: { signature, slot } }))
  await settle(12)

  // As `npm run listen` without an endpoint.
  const passed: string[] = []
  const lines: string[] = []
  const folder = { DATA_DIR: t.testdir() }
  /** Follows the feed in pages of five until `ended`, or until a message came. */
  const follow = async (ended: AbortController, onRead: (path: string) => void) => {
    const session = {
      gateway: shop.address,
      token,
      ask: () => Promise.reject(new Error('the feed is enough')),
      read: async (path: string) => {
        onRead(path)
        return (await askJson(`${baseUrl}${path}&limit=5`, { token })).text
      },
    }
    const feed = openFeed(
      folder,
      shop.address,
      () => Promise.resolve(session),
      (headers, body) => {
        t.ok(isSignedDelivery(headers, body, [feed.secret], Date.now() / 1000))
        passed.push(body)
        ended.abort()
        return Promise.resolve(true)
      },
      { print: line => lines.push(line), everyMs: 0 },
    )
    await feed.follow(ended.signal)
  }
  const stopped = new AbortController()
  await follow(stopped, () => stopped.abort())
  t.same(lines, ['passing over what happened before: 5 messages so far'], 'it says how far it is')
  const mode = statSync(join(folder.DATA_DIR, 'listen-feed.json')).mode & 0o777
  t.equal(mode, 0o600, 'secrets are the owner’s alone')
  const paths: string[] = []
  const following = follow(new AbortController(), path => paths.push(path))
  await waitFor(() => paths.some(path => path.includes('wait=25')), { what: 'all before to be read' })
  t.match(lines.at(-1), /before: 1[0-9] messages/)
  await publish(chain.pay(policies[0]))
  await following
  await settle(13)
  t.same(
    passed,
    receiver.requests.slice(-1).map(({ body }) => body),
    'what came from then on, also after a first run that was stopped',
  )

  const redis = openRedis(settings)
  t.teardown(() => redis.close())
  const changed: string[] = []
  redis.listenToEndpoints(ids => changed.push(...(ids ?? ['listening'])))
  await waitFor(() => changed.length === 1, { what: 'the channel of changed endpoints' })
  const { id } = JSON.parse(registered.text) as { id: number }
  const change = { method: 'PUT', token, body: { finality: 'confirmed' } }
  t.equal((await askJson(`${baseUrl}/v1/webhooks/${id}`, change)).status, 200)
  await waitFor(() => changed.includes(String(id)), { what: 'workers to be told' })

  const sent = receiver.requests.map(({ body }) => body).sort()
  for (const limit of [1, 2, 5, 1000]) {
    const received: string[] = []
    for (let after: string | undefined; ;) {
      const page = await read(
        `types=${WEBHOOK_EVENT_TYPES.join()}&limit=${limit}${after === undefined ? '' : `&after=${after}`}`,
      )
      if (page.items === '' && page.next === after) break
      after = page.next
      if (page.items !== '') received.push(...page.items.split(/,(?=\{"id":"msg_)/))
    }
    t.same(received.sort(), sent, `in pages of ${limit}`)
  }
})
