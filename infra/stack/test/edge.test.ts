import { readTrustedProxies } from '@payment-tracking/runtime'
import { once } from 'node:events'
import { createServer, request, type IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { openEdge } from '@payment-tracking/stack'
import { listen, waitFor, type TestContext } from '@payment-tracking/testkit'
import t, { type Test } from 'tap'

interface Received {
  name: string
  path: string
  headers: Record<string, string>
  body: string
}

/** A service that tells what reached it, and echoes what comes through an upgraded socket. */
async function openService(t: TestContext, name: string): Promise<number> {
  const server = createServer((incoming, response) => {
    let body = ''
    incoming.on('data', chunk => (body += String(chunk)))
    incoming.on('end', () => {
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify({ name, path: incoming.url, headers: incoming.headers, body }))
    })
  })
  server.on('upgrade', (incoming: IncomingMessage, socket) => {
    if (incoming.url?.includes('refuse')) {
      return void socket.end('HTTP/1.1 400 Bad Request\r\ncontent-length: 2\r\n\r\n{}')
    }
    socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n')
    socket.write(`${name} for ${String(incoming.headers['x-forwarded-for'])};`)
    socket.pipe(socket)
  })
  return listen(t, server)
}

async function openEdgeTo(
  t: TestContext,
  apiPorts: number[],
  realtimePorts: number[],
  trustProxy = 'off',
  consolePorts: number[] = [],
): Promise<string> {
  const edge = await openEdge({
    host: '127.0.0.1',
    port: 0,
    trustedProxies: readTrustedProxies(trustProxy),
    portsOf: service => ({ api: apiPorts, realtime: realtimePorts, console: consolePorts })[service],
  })
  t.teardown(() => edge.close())
  return edge.url
}

async function openAll(t: TestContext, trustProxy = 'off'): Promise<string> {
  const api = await openService(t, 'api')
  const realtime = [await openService(t, 'realtime-1'), await openService(t, 'realtime-2')]
  return openEdgeTo(t, [api], realtime, trustProxy, [await openService(t, 'console')])
}

t.test('an event stream passes at once, and ends in the service when its client leaves', async t => {
  let gone = false
  const server = createServer((incoming, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write(`data: ${incoming.url}\n\n`)
    response.once('close', () => (gone = true))
  })
  const url = await openEdgeTo(t, [], [await listen(t, server)])
  const controller = new AbortController()
  const answer = await fetch(`${url}/v1/payments/stream?trackingId=a`, { signal: controller.signal })
  const { value } = await answer.body!.getReader().read()
  t.equal(Buffer.from(value!).toString(), 'data: /v1/payments/stream?trackingId=a\n\n')
  t.notOk(gone)
  controller.abort()
  await waitFor(() => gone)
})

t.test('streams and waiting requests of few clients left everybody else without an answer', async t => {
  const STREAMS = 570
  const open = new Set<IncomingMessage>()
  const server = createServer((incoming, response) => {
    if (incoming.url === '/v1/health') return response.end('{}')
    open.add(incoming)
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write(':\n\n')
    response.once('close', () => open.delete(incoming))
  })
  const port = await listen(t, server)
  const url = await openEdgeTo(t, [port], [port])
  const streams = Array.from({ length: STREAMS }, (_, n) =>
    request(url, { path: n % 2 ? '/v1/payments/stream' : '/v1/gateway/x/feed?wait=25', agent: false })
      .on('error', () => {})
      .end(),
  )
  t.teardown(() => streams.forEach(stream => stream.destroy()))
  await waitFor(() => open.size === STREAMS, { what: 'a connection to the service for each' })
  t.equal((await fetch(`${url}/v1/health`)).status, 200)
  for (const stream of streams) stream.destroy()
  await waitFor(() => open.size === 0, { what: 'the end of each in the service' })
})

const upgradeRequest = (path: string, headers = '') =>
  `GET ${path} HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\n${headers}\r\n`

/** Sends text and collects what comes back until it matches or ends. */
async function exchange(url: string, text: string, until: RegExp): Promise<string> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  socket.write(text)
  let heard = ''
  for await (const chunk of socket) {
    heard += String(chunk)
    if (until.test(heard)) break
  }
  socket.destroy()
  return heard
}

const fetchJson = async (url: string, init?: RequestInit) =>
  (await fetch(url, init)).json() as Promise<Received>

t.test('paths below /ws/v1 and /console reach their own processes, all others the API', async t => {
  const url = await openAll(t)
  const echoed = await fetchJson(`${url}/v1/events?limit=3&x=%20`)
  t.match(echoed, { name: 'api', path: '/v1/events?limit=3&x=%20' })
  t.match(await fetchJson(`${url}/ws/v1x`), { name: 'api' })
  for (const path of ['/console', '/console?x=/v1', '/console/', '/console/payments?q=1'])
    t.match(await fetchJson(`${url}${path}`), { name: 'console', path })
  for (const path of ['/consoles', '/v1/console/', '/?x=/console/'])
    t.match(await fetchJson(`${url}${path}`), { name: 'api', path })
  const names = [await fetchJson(`${url}/ws/v1/?a=1`), await fetchJson(`${url}/ws/v1?a=1`)].map(
    ({ name }) => name,
  )
  t.same(names.sort(), ['realtime-1', 'realtime-2'])
})

t.test('bodies and odd paths pass unchanged', async t => {
  const url = await openAll(t)
  t.match(await fetchJson(`${url}/v1/webhooks`, { method: 'POST', body: '{"a":1}' }), { body: '{"a":1}' })
  const path = '/v1/onetime/%E0%A4%A?x=../..'
  const [answer] = (await once(request(url, { path }).end(), 'response')) as [IncomingMessage]
  t.match(JSON.parse(String(Buffer.concat(await answer.toArray()))), { path })
})

t.test('no client can pretend to have another address', async t => {
  const url = await openAll(t)
  const headers = {
    'x-forwarded-for': '203.0.113.9',
    'x-real-ip': '203.0.113.9',
    forwarded: 'for=203.0.113.9',
  }
  const seen = await fetchJson(url, { headers })
  t.equal(seen.headers['x-forwarded-for'], '127.0.0.1')
  t.notOk(seen.headers['x-real-ip'] ?? seen.headers.forwarded)
  const forwarded = await exchange(url, upgradeRequest('/ws/v1/', 'x-forwarded-for: 203.0.113.9\r\n'), /;/)
  t.match(forwarded, /realtime-\d for 127\.0\.0\.1;/)
})

t.test('TRUST_PROXY means the same as in a service: a number of proxies, or networks', async t => {
  const forwarded = { 'x-forwarded-for': '198.51.100.1, 203.0.113.9', 'x-forwarded-proto': 'https' }
  for (const [setting, address, proto] of [
    ['on', '203.0.113.9', 'https'],
    ['2', '198.51.100.1', 'https'],
    ['127.0.0.0/8', '203.0.113.9', 'https'],
    ['127.0.0.1,203.0.113.0/24', '198.51.100.1', 'https'],
    ['10.0.0.0/8', '127.0.0.1', undefined],
  ] as const) {
    const seen = await fetchJson(await openAll(t, setting), { headers: forwarded })
    t.equal(seen.headers['x-forwarded-for'], address, setting)
    t.equal(seen.headers['x-forwarded-proto'], proto, setting)
  }
})

t.test('an upgraded socket carries bytes both ways', async t => {
  const url = await openAll(t)
  const heard = await exchange(url, `${upgradeRequest('/v1/events/stream')}hello`, /hello/)
  t.match(heard, /^HTTP\/1\.1 101 [^]*api for 127\.0\.0\.1;hello/)
})

t.test('a client that is gone does not stay with the service', async t => {
  const connections = new Set<unknown>()
  const service = createServer()
  service.on('upgrade', (_, socket) => {
    connections.add(socket)
    socket.once('close', () => connections.delete(socket))
    socket.on('error', () => {})
    socket.resume().once('end', () => socket.end())
    socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n')
  })
  const port = await listen(t, service)
  const url = await openEdgeTo(t, [port], [port])
  const client = connect(Number(new URL(url).port), '127.0.0.1')
  client.write(upgradeRequest('/ws/v1/'))
  await once(client, 'data')
  t.equal(connections.size, 1)
  client.resetAndDestroy()
  await waitFor(() => connections.size === 0, { what: 'the end of the upstream connection' })
})

t.test('an upgrade that the service refuses is refused with its answer', async t => {
  const url = await openAll(t)
  const heard = await exchange(url, upgradeRequest('/ws/v1/?refuse'), /\{\}/)
  t.match(heard, /^HTTP\/1\.1 400 Bad Request[^]*\{\}/)
})

/** Checks an answer on a bare socket for status and shape. */
function isRefusal(t: Test, heard: string, status: number, code: string) {
  t.match(heard, new RegExp(`^HTTP/1\\.1 ${status} `))
  const refusal = JSON.parse(heard.slice(heard.indexOf('\r\n\r\n') + 4))
  t.match(refusal, { success: false, code, error: String, timestamp: Number, requestId: String })
}

t.test('while no process is ready, or one has just died, the answer is 503 in the one shape', async t => {
  // Nothing listens on port 1.
  for (const ports of [[], [1]]) {
    const url = await openEdgeTo(t, ports, ports)
    const response = await fetch(`${url}/v1/events`)
    t.equal(response.status, 503)
    const shape = {
      success: false,
      code: 'UNAVAILABLE',
      error: String,
      timestamp: Number,
      requestId: String,
    }
    t.match(await response.json(), shape)
    isRefusal(t, await exchange(url, upgradeRequest('/ws/v1/'), /\}$/), 503, 'UNAVAILABLE')
  }
})

t.test('without the console its pages are 503 in the one shape, and the API answers as before', async t => {
  const api = await openService(t, 'api')
  // None is ready; one has just died: nothing listens on port 1.
  for (const consolePorts of [[], [1]]) {
    const url = await openEdgeTo(t, [api], [], 'off', consolePorts)
    for (const path of ['/console/', '/console/assets/index.js']) {
      const response = await fetch(`${url}${path}`)
      t.equal(response.status, 503)
      t.match(await response.json(), { success: false, code: 'UNAVAILABLE', requestId: String })
    }
    t.match(await fetchJson(`${url}/v1/events`), { name: 'api' })
  }
})

t.test('malformed or oversized HTTP is refused in the common shape of errors', async t => {
  const url = await openAll(t)
  const end = /\}$/
  isRefusal(t, await exchange(url, 'rubbish\r\n\r\n', end), 400, 'INVALID_REQUEST')
  isRefusal(
    t,
    await exchange(url, 'BREW /v1/health HTTP/1.1\r\nhost: x\r\n\r\n', end),
    400,
    'INVALID_REQUEST',
  )
  const long = `GET / HTTP/1.1\r\nhost: x\r\nx-long: ${'y'.repeat(20_000)}\r\n\r\n`
  isRefusal(t, await exchange(url, long, end), 431, 'HEADERS_TOO_LARGE')
  const body =
    'POST / HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: h2c\r\ncontent-length: 2\r\n\r\n{}'
  isRefusal(t, await exchange(url, body, end), 400, 'INVALID_REQUEST')
})

t.test('a body that is too large always gets 413, however the client sends it', async t => {
  const url = await openAll(t)
  const body = Buffer.alloc(2_000_000, 'x')
  for (let round = 0; round < 20; round += 1) {
    const [known, chunked] = await Promise.all([
      fetch(url, { method: 'POST', body }),
      fetch(url, { method: 'POST', body: new Blob([body]).stream(), duplex: 'half' } as RequestInit),
    ])
    for (const response of [known, chunked]) {
      t.equal(response.status, 413)
      t.match(await response.json(), { success: false, code: 'BODY_TOO_LARGE' })
    }
  }
  t.match(await fetchJson(url, { method: 'POST', body: Buffer.alloc(65_536, 'x') }), { name: 'api' })
})

t.test('a request for an upgrade to h2c is answered as a plain request', async t => {
  const url = await openAll(t)
  const heard = await exchange(
    url,
    'GET /v1/health HTTP/1.1\r\nhost: x\r\nconnection: upgrade, http2-settings\r\nupgrade: h2c\r\nhttp2-settings: AAMAAABk\r\n\r\n',
    /"body":""\}/,
  )
  t.match(heard, /^HTTP\/1\.1 200 OK[^]*"name":"api","path":"\/v1\/health"/)
})
