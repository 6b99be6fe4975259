import { readFileSync } from 'node:fs'
import { createServer } from 'node:https'
import { createServer as createTcpServer } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { readConfig, type ConfigError } from '@payment-tracking/runtime'
import { listen, openReceiver, waitFor } from '@payment-tracking/testkit'
import t from 'tap'
import { Type } from 'typebox'
import { WebhookWorkerConfig } from '../src/config.js'
import { openConnections } from '../src/requests/connections.js'
import { openEgressProxy } from '../src/requests/egress-proxy.js'
import { openProxy } from './support/open-proxy.js'
import { sendOne } from './support/send-one.js'
import { openRig, type Rig } from './support/start-worker.js'

const read = (file: string) =>
  readFileSync(new URL(`../../../test/fixtures/tls/${file}`, import.meta.url), 'utf8')
const cert = read('cert.pem')

interface SendOptions {
  /** undefined: directly */
  proxyUrl: string | undefined
  except?: string
  addresses?: string[]
  allowPrivateTargets?: boolean
  trustOnly?: string | null
}

/** Sends one delivery. */
async function send(
  endpointUrl: string,
  {
    proxyUrl,
    except = '',
    addresses = ['127.0.0.1'],
    allowPrivateTargets = true,
    trustOnly = cert,
  }: SendOptions,
) {
  const connections = openConnections({
    timeoutMs: 2_000,
    ...(trustOnly !== null && { trustOnly }),
    ...(proxyUrl !== undefined && { proxy: openEgressProxy({ url: proxyUrl, except, timeoutMs: 2_000 }) }),
  })
  const resolve = () => Promise.resolve(addresses.map(address => ({ address, family: 4 as const })))
  const answer = await sendOne(endpointUrl, { allowPrivateTargets, connections, resolve })
  await connections.close()
  return answer
}

t.test('TLS is with the endpoint, directly and through a proxy, which resolves no name', async t => {
  const names: unknown[] = []
  const server = createServer({ key: read('key.pem'), cert }, (request, response) => {
    names.push((request.socket as TLSSocket).servername, request.headers.host)
    response.end()
  })
  const port = await listen(t, server)
  const proxy = await openProxy(t)
  for (const proxyUrl of [undefined, `http://us%20er:pass@127.0.0.1:${proxy.port}`]) {
    names.length = 0
    const sendTo = (host: string, trustOnly: string | null = cert) =>
      send(`https://${host}:${port}/`, { proxyUrl, trustOnly })
    t.match(await sendTo('hooks.example'), { outcome: 'accepted', statusCode: 200 })
    t.strictSame(names, ['hooks.example', `hooks.example:${port}`], 'SNI and Host are the name')
    t.strictSame(proxy.asked, proxyUrl ? [`127.0.0.1:${port}`] : [], 'the proxy resolves no name')
    const refused = { outcome: 'refused', error: 'tls' }
    t.match(await sendTo('other.example'), refused, "another's certificate")
    t.match(await sendTo('hooks.example', null), refused, 'an issuer nobody knows')
    t.equal(names.length, 2, 'nothing was sent to either')
  }
  t.same(new Set(proxy.credentials), new Set([`Basic ${Buffer.from('us er:pass').toString('base64')}`]))
})

t.test('the checks of targets hold, and hosts of WEBHOOK_NO_PROXY are reached directly', async t => {
  const proxy = await openProxy(t)
  const receiver = await openReceiver(t)
  const proxyUrl = `http://127.0.0.1:${proxy.port}`
  const refused = await send('https://inside.example/', { proxyUrl, allowPrivateTargets: false })
  t.match(refused, { outcome: 'refused', error: 'unreachable' }, 'a name of our network looks unknown')
  const toPrivate = await send('https://10.0.0.7/', { proxyUrl, allowPrivateTargets: false })
  t.match(toPrivate, { error: 'address refused', final: true })
  t.strictSame(proxy.asked, [], 'the proxy was not asked')
  const url = `http://a.shop.example:${receiver.port}/`
  for (const except of ['other.example, shop.example', '.shop.example', 'A.SHOP.example', '*'])
    t.match(await send(url, { proxyUrl, except }), { outcome: 'accepted' }, except)
  t.strictSame(proxy.asked, [])
  for (const except of ['', 'op.example', 'b.a.shop.example'])
    t.match(await send(url, { proxyUrl, except }), { outcome: 'accepted' }, except)
  t.equal(proxy.asked.length, 3)
  const byNext = await send(url, { proxyUrl, addresses: ['127.0.0.2', '127.0.0.1', '127.0.0.3'] })
  t.match(byNext, { outcome: 'accepted' }, 'the next address is tried')
})

t.test('WEBHOOK_NO_PROXY may name a port, or a network', async t => {
  const proxy = await openProxy(t)
  const receiver = await openReceiver(t)
  const proxyUrl = `http://127.0.0.1:${proxy.port}`
  const url = `http://shop.example:${receiver.port}/`
  for (const except of [
    `shop.example:${receiver.port}`,
    `.example:${receiver.port}`,
    '127.0.0.0/8',
    '127.0.0.1',
    `127.0.0.1:${receiver.port}`,
    'fd00::/8, 127.0.0.1/32',
  ])
    t.match(await send(url, { proxyUrl, except }), { outcome: 'accepted' }, except)
  t.match(await send(receiver.url, { proxyUrl, except: '127.0.0.0/8' }), { outcome: 'accepted' })
  t.strictSame(proxy.asked, [], 'the proxy was not asked')
  for (const except of [`shop.example:${receiver.port + 1}`, `127.0.0.1:443`, '10.0.0.0/8', '127.0.0.2'])
    t.match(await send(url, { proxyUrl, except }), { outcome: 'accepted' }, except)
  t.equal(proxy.asked.length, 4)
  const addresses = ['127.0.0.1', '127.0.0.2']
  await send(url, { proxyUrl, addresses, except: '127.0.0.1' })
  t.ok(proxy.asked.length > 4, 'a name that leads elsewhere too is no name of the network')
})

t.test('an entry of WEBHOOK_NO_PROXY that would match nothing is refused', async t => {
  const schema = Type.Pick(WebhookWorkerConfig, ['WEBHOOK_NO_PROXY'])
  const isRefused = (WEBHOOK_NO_PROXY: string) => {
    try {
      return readConfig(schema, { WEBHOOK_NO_PROXY }) === null
    } catch (error) {
      return (error as ConfigError).problems
    }
  }
  for (const setting of [
    'localhost, .shop.example,*.shop.example , bücher.example:8443,*',
    '10.0.0.0/8,10.1.2.3,10.1.2.3:8443,fd00::/8,fd00::1,[fd00::1],[fd00::1]:8443,',
  ])
    t.notOk(isRefused(setting), setting)
  for (const entry of [
    ...['http://shop.example', 'shop.example/pay', 'user@shop.example', 'a b', 'a.*.example', '<local>'],
    ...['shop.example:0', 'shop.example:65536', 'shop.example:https', ':8443', '[shop.example]:8443'],
    ...[
      '10.0.0.0/33',
      '10.0.0/8',
      '10.0.0',
      '10.0.0.300',
      '10.0.0.0/8:443',
      '10.0.0.0/',
      'fd00::/129',
      '*:443',
    ],
  ])
    t.match(
      isRefused(`shop.example,${entry}`),
      [/^WEBHOOK_NO_PROXY has an entry that is no host, number 2 /],
      entry,
    )
})

t.test('what is the failure of the endpoint, and what of the proxy', async t => {
  const gone = await openProxy(t)
  await gone.close()
  const url = 'http://shop.example:9/'
  const throughGone = await send(url, { proxyUrl: `http://127.0.0.1:${gone.port}` })
  t.match(throughGone, { outcome: 'interrupted', error: 'proxy away' })
  const strict = await openProxy(t, { refusal: '407 No' })
  t.match(await send(url, { proxyUrl: `http://127.0.0.1:${strict.port}` }), { error: 'proxy away' })
  const cutting = createTcpServer(socket => socket.once('data', () => socket.destroy()))
  t.match(await send(url, { proxyUrl: `http://127.0.0.1:${await listen(t, cutting)}` }), {
    error: 'proxy away',
  })
  const proxy = await openProxy(t)
  const throughProxy = await send(url, { proxyUrl: `http://127.0.0.1:${proxy.port}` })
  t.match(throughProxy, { outcome: 'refused', error: 'unreachable' })
})

t.test('what a proxy refuses by itself is told apart from an endpoint that it does not reach', async t => {
  const proxy = await openProxy(t)
  const answerTo = (refusal: string) => {
    proxy.refusal = refusal
    return send('http://shop.example:9/', { proxyUrl: `http://127.0.0.1:${proxy.port}` })
  }
  for (const refusal of [
    ...['429 Too Many Requests', '503 Service Unavailable', '403 Access violation', '404 Not Found'],
    '503 No\r\nx-squid-error: ERR_TOO_BIG 0',
    '403 No\r\nx-squid-error: ERR_ACCESS_DENIED 0',
    '503 No\r\nproxy-status: edge; error=connection_limit_reached',
    '503 No\r\nproxy-status: edge; error=proxy_configuration_error',
    '403 No\r\nproxy-status: edge; error="destination_ip_prohibited"',
  ])
    t.match(
      await answerTo(refusal),
      { error: 'proxy refused', statusCode: null, retryAfterMs: null },
      refusal,
    )
  t.match(await answerTo('429 No\r\nretry-after: 7'), { error: 'proxy refused', retryAfterMs: 7_000 })
  for (const refusal of [
    ...['502 Bad Gateway', '504 Gateway Timeout', '500 Unable to connect'],
    '503 Service Unavailable\r\nx-squid-error: ERR_CONNECT_FAIL 111',
    '503 Service Unavailable\r\nx-squid-error: ERR_DNS_FAIL 0',
    '503 No\r\nproxy-status: edge; error=connection_refused; details="no"',
    '503 No\r\nproxy-status: edge; error=connection_timeout',
    '503 No\r\nproxy-status: edge; error="destination_unavailable"',
  ])
    t.match(await answerTo(refusal), { outcome: 'refused', error: 'unreachable' }, refusal)
})

/** A delivery that asks is on its way for a moment, with an attempt that is put back. */
const waitUntilDeferred = (rig: Rig, gateway: string, reason: string) =>
  waitFor(
    async () =>
      (await rig.attempts(gateway)).length === 0 &&
      (await rig.deliveries(gateway)).every(
        row => row.state === 'waiting' && row.attempts_made === 0 && row.defer_reason === reason,
      ),
    { what: `all deferred by \`${reason}\`, without a try` },
  )

t.test('a proxy that is away spends no try, and deliveries leave when it is back', async t => {
  const rig = await openRig(t)
  const receiver = await openReceiver(t)
  const { gateway } = await rig.addWebhook(receiver.url)
  const away = await openProxy(t)
  const { port } = away
  await away.close()
  await rig.startWorker({ WEBHOOK_PROXY_URL: `http://127.0.0.1:${port}` })
  await rig.pay(gateway, 3)
  await waitUntilDeferred(rig, gateway, 'proxy away')
  const proxy = await openProxy(t, { port })
  await rig.waitForStates({ delivered: 3 }, { gateway })
  t.match(await rig.deliveries(gateway), Array(3).fill({ attempts_made: 1 }))
  t.ok(proxy.asked.length > 0)
  await waitFor(() => receiver.requests.length === 3)
})

t.test('a proxy that refuses spends no try for a day', async t => {
  const rig = await openRig(t)
  const receiver = await openReceiver(t)
  const { gateway } = await rig.addWebhook(receiver.url)
  const proxy = await openProxy(t, { refusal: '429 Too Many Requests\r\nretry-after: 6' })
  await rig.startWorker({ WEBHOOK_PROXY_URL: `http://127.0.0.1:${proxy.port}` })
  const startedMs = performance.now()
  await rig.pay(gateway, 30)
  await waitUntilDeferred(rig, gateway, 'proxy refused')
  // Requests that were on their way together, until the first answer: 4.
  t.ok(proxy.asked.length <= 4, `${proxy.asked.length} of 30 asked`)
  proxy.refusal = '503 Service Unavailable'
  const asked = proxy.asked.length
  await waitFor(() => proxy.asked.length > asked, { what: 'the end of `retry-after`' })
  t.ok(performance.now() - startedMs > 6_000, 'the proxy says when it may be asked again')
  t.equal(proxy.asked.length, asked + 1, 'one asks')

  const other = await rig.addWebhook(`${receiver.url}/other`)
  const refs = await rig.pay(other.gateway, 1, { enqueue: false })
  await rig.database.pool.query(
    `update deliveries set opened_at = opened_at - interval '1 day' where webhook_id = $1`,
    [other.id],
  )
  await rig.queue.enqueueDeliveries(refs)
  await rig.waitForStates({ failed: 1 }, { gateway: other.gateway })
  t.match(
    await rig.attempts(other.gateway),
    Array(4).fill({ outcome: 'refused', error: 'proxy refused' }),
    'it may refuse an endpoint for good',
  )

  proxy.refusal = null
  await rig.waitForStates({ delivered: 30 }, { gateway, timeoutMs: 60_000 })
  t.equal(receiver.requests.length, 30)
})
