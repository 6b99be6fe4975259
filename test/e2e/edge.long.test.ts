// infra/docker/haproxy.cfg, run for real before a receiver that says which client address it was told.
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { findFreePort } from '@payment-tracking/stack'
import { isQuick, startProgram, waitFor, type TestContext } from '@payment-tracking/testkit'
import t from 'tap'
import { findHaproxy } from './find-haproxy.js'

const FILE = fileURLToPath(new URL('../../infra/docker/haproxy.cfg', import.meta.url))
const LUA = fileURLToPath(new URL('../../infra/loadbalancer/refuse-unreadable.lua', import.meta.url))
const PEOPLE = 260

const linesOf = (name: string, ports: readonly number[]): string =>
  ports.map((port, index) => `server ${name}${index} 127.0.0.1:${port} port ${port}`).join('\n  ')

/**
 * The edge with these settings. Its servers are named by address: only the name service of containers is left out.
 * @param pods the ports of a backend's pods. The console has none by default; the receiver serves the other backends
 * @returns its port
 */
async function startEdge(
  t: TestContext,
  haproxy: string,
  env: Record<string, string>,
  pods: Readonly<Record<string, readonly number[]>> = {},
): Promise<number> {
  const receiver = createServer((request, response) => {
    if (request.url === '/readyz/process') return response.end('{}')
    const { 'x-forwarded-for': address, 'x-forwarded-proto': proto } = request.headers
    response.end(JSON.stringify({ address, proto }))
  })
  await new Promise<void>(resolve => receiver.listen(0, '127.0.0.1', resolve))
  const upstream = (receiver.address() as AddressInfo).port
  const [port, dir] = [await findFreePort(), await mkdtemp(join(tmpdir(), 'payment-tracking-edge-'))]
  t.teardown(async () => {
    receiver.closeAllConnections()
    receiver.close()
    await rm(dir, { recursive: true })
  })
  const text = (await readFile(FILE, 'utf8'))
    .replace('bind :8080', `bind 127.0.0.1:${port}`)
    .replaceAll(/server-template (\w+) .*/g, (line, name: string) =>
      name === 'console' || name in pods ? linesOf(name, pods[name] ?? []) : line,
    )
    .replaceAll(/server-template (\w+) .*/g, `server $1 127.0.0.1:${upstream}`)
    .replace('resolvers containers init-addr none check port 9100', `check port ${upstream}`)
  const file = join(dir, 'haproxy.cfg')
  await copyFile(LUA, join(dir, 'refuse-unreadable.lua'))
  await writeFile(file, text)
  const settings = { TRUSTED_PROXIES: '', PROXY_PROTOCOL_FROM: '', ...env }
  const server = startProgram(t, haproxy, ['-db', '-f', file], { env: settings })
  const greeting = env.PROXY_PROTOCOL_FROM ? 'PROXY TCP4 198.51.100.1 127.0.0.1 1 2\r\n' : ''
  const isReady = async () =>
    (await send(port, `${greeting}GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`)).includes(
      '"address"',
    )
  await waitFor(isReady, { what: 'HAProxy to answer', timeoutMs: 20_000 }).catch((error: Error) => {
    throw new Error(`${error.message}\n${server.output}`)
  })
  return port
}

/** What the receiver was told. On a busy machine the edge may lose it from sight for a moment, and answers 503. */
async function ask(port: number, forwarded?: string): Promise<Record<string, unknown>> {
  const headers: Record<string, string> = forwarded
    ? { 'x-forwarded-for': forwarded, 'x-forwarded-proto': 'https' }
    : {}
  return waitFor(
    async () => {
      const answer = await fetch(`http://127.0.0.1:${port}/v1/x`, { headers })
      return answer.ok && ((await answer.json()) as Record<string, unknown>)
    },
    { what: 'an answer of the receiver' },
  )
}

/**
 * Sends these bytes on a connection of its own.
 * @param hesitationMs between the connection and the first byte
 * @returns all that came back
 */
const send = (port: number, bytes: string, hesitationMs = 0) =>
  new Promise<string>(resolve => {
    let heard = ''
    const socket = connect(port, '127.0.0.1', () => setTimeout(write, hesitationMs))
    const write = () => socket.write(bytes)
    socket.setEncoding('utf8').on('data', (chunk: string) => (heard += chunk))
    socket.on('error', () => {})
    socket.once('close', () => resolve(heard))
  })

const { haproxy, skip } = findHaproxy()

t.test('without trusted proxies nobody can claim another address', { skip }, async t => {
  const port = await startEdge(t, haproxy, {})
  t.strictSame(await ask(port, '198.51.100.7'), { address: '127.0.0.1', proto: 'http' })
})

t.test(`${PEOPLE} people behind one trusted TLS proxy are ${PEOPLE} addresses`, { skip }, async t => {
  const port = await startEdge(t, haproxy, { TRUSTED_PROXIES: '127.0.0.0/8 10.0.0.0/8' })
  const people = Array.from({ length: PEOPLE }, (_, n) => `198.51.${100 + (n >> 8)}.${n & 255}`)
  const received = await Promise.all(people.map(address => ask(port, address)))
  const foundAddresses = received.map(({ address }) => address)
  t.strictSame(foundAddresses, people)
  t.equal(received[0]!.proto, 'https', 'the proxy says that TLS ends there')
  t.match(await ask(port, '1.1.1.1, 198.51.100.7'), { address: '198.51.100.7' }, 'no claim before it')
  const behindTwo = await ask(port, '1.1.1.1, 198.51.100.7, 10.0.0.9')
  t.match(behindTwo, { address: '198.51.100.7' }, 'nor behind two proxies')
})

t.test('proxies that speak the PROXY protocol', { skip }, async t => {
  const port = await startEdge(t, haproxy, { PROXY_PROTOCOL_FROM: '127.0.0.0/8' })
  const request = 'GET /v1/x HTTP/1.1\r\nhost: x\r\nconnection: close\r\nx-forwarded-for: 9.9.9.9\r\n\r\n'
  const ofProxy = await send(port, `PROXY TCP4 198.51.100.7 127.0.0.1 1 2\r\n${request}`)
  t.match(ofProxy, /"address":"198\.51\.100\.7"/)
  t.notMatch(await send(port, request), /"address"/, 'a connection without it is refused')
})

/** A pod that has these files. */
async function openPod(t: TestContext, files: readonly string[], at = 0) {
  const server = createServer((request, response) => {
    const isThere = request.url === '/readyz/process' || files.includes(request.url ?? '')
    response.writeHead(isThere ? 200 : 404).end('{"address":""}')
    heard.push(request.headers['x-forwarded-for'])
  })
  const heard: unknown[] = []
  await new Promise<void>(resolve => server.listen(at, '127.0.0.1', resolve))
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  t.teardown(close)
  const { port } = server.address() as AddressInfo
  /** On the same port, as a container that is started again. */
  const restart = () => openPod(t, files, port)
  return { port, heard, close, restart }
}

t.test('the console is found below its path, and nothing else suffers without it', { skip }, async t => {
  // During an upgrade: both have the page, each has the script of its own release alone.
  const before = await openPod(t, ['/console/', '/console/assets/old.js'])
  const after = await openPod(t, ['/console/', '/console/assets/new.js'])
  const port = await startEdge(t, haproxy, {}, { console: [before.port, after.port] })
  const get = (path: string) => fetch(`http://127.0.0.1:${port}${path}`)
  await waitFor(async () => (await get('/console/')).ok, { what: 'the console behind the edge' })
  const asked = ['/console/', '/console/assets/old.js', '/console/assets/new.js']
  for (let round = 0; round < 6; round++)
    for (const path of asked) t.equal((await get(path)).status, 200, `${path}: the pod that has it is asked`)
  t.equal((await get('/console/assets/none.js')).status, 404)
  t.equal((await get('/consoles')).status, 200, 'the API answers for what only looks like it')

  before.close()
  after.close()
  const gone = await waitFor(
    async () => {
      const answer = await get('/console/')
      return answer.status === 503 && answer
    },
    { what: 'the refusal of the edge' },
  )
  t.match(gone.headers.get('content-type'), 'application/json')
  t.match(await gone.json(), { success: false, code: 'UNAVAILABLE', timestamp: Number, requestId: String })
  t.strictSame(await ask(port), { address: '127.0.0.1', proto: 'http' }, 'the API is not affected')
})

t.test('a client that connects again returns to the same realtime pod', { skip }, async t => {
  const pods = [await openPod(t, ['/ws/v1/']), await openPod(t, ['/ws/v1/'])]
  const port = await startEdge(
    t,
    haproxy,
    { TRUSTED_PROXIES: '127.0.0.0/8' },
    { realtime: pods.map(pod => pod.port) },
  )
  // An odd number: pods that simply take turns would get others in each round.
  const people = Array.from({ length: 13 }, (_, n) => `198.51.100.${n}`)
  for (let round = 0; round < 4; round++)
    for (const address of people)
      await waitFor(
        async () =>
          (await fetch(`http://127.0.0.1:${port}/ws/v1/`, { headers: { 'x-forwarded-for': address } })).ok,
        { what: 'an answer of a pod' },
      )
  const [one, other] = pods.map(({ heard }) => people.filter(address => heard.includes(address)))
  t.same([...one!, ...other!].sort(), people.toSorted(), 'each is known to one pod alone')
  t.ok(one!.length > 0 && other!.length > 0, 'both pods are used')
})

t.test('what the edge refuses has the shape of the errors of the services', { skip }, async t => {
  const port = await startEdge(t, haproxy, {})
  const refusals = [
    ['GET /v1/x HTTP/1.1\r\nhost: a\r\nbad header\r\n\r\n', 400, 'INVALID_REQUEST'],
    ['\x16\x03\x01\x02\x00\r\n\r\n', 400, 'INVALID_REQUEST'],
    // These two wait for the time limit of a request.
    ['GET /v1/', 408, 'REQUEST_TIMEOUT'],
    ['GET /v1/x HTTP/1.1\r\nhost: a\r\nx-half', 408, 'REQUEST_TIMEOUT'],
  ] as const
  const refused = refusals.map(async ([bytes, status, code]) => {
    const answer = await send(port, bytes)
    t.match(answer, new RegExp(`^HTTP/1.1 ${status} `), bytes)
    const edgeRefusal = JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')))
    t.match(edgeRefusal, { success: false, code, timestamp: Number, requestId: /^[0-9a-f-]{36}$/ })
  })
  const followers = ['rubbish\r\n\r\n', 'GET /v1/'].map(async bytes => {
    const heard = await send(port, `GET /v1/x HTTP/1.1\r\nhost: x\r\n\r\n${bytes}`)
    t.match(heard, /"address"/, 'a request is answered')
    t.notMatch(heard, /<html>/, 'and no HTML follows, whatever is sent behind it')
  })
  t.match(await send(port, 'rubbish\r\n\r\n', 1_000), /^HTTP\/1.1 400 /, 'wrong after a second, but not late')
  await Promise.all([...refused, ...followers])
})

/** Readers that ask one after the other until the test ends. */
function keepAsking(t: TestContext, port: number) {
  const answers: { status: number | 'closed'; at: number; tookMs: number }[] = []
  let isAsking = true
  const askOn = async () => {
    while (isAsking) {
      const began = performance.now()
      const answer = await fetch(`http://127.0.0.1:${port}/v1/x`).catch(() => undefined)
      await answer?.text()
      const at = performance.now()
      answers.push({ status: answer?.status ?? 'closed', at, tookMs: at - began })
      await sleep(10)
    }
  }
  const readers = Promise.all(Array.from({ length: 8 }, askOn))
  const stop = () => {
    isAsking = false
    return readers
  }
  t.teardown(stop)
  const of = (status: number) => answers.filter(answer => answer.status === status)
  return { answers, of, stop, longestMs: () => Math.round(Math.max(...answers.map(({ tookMs }) => tookMs))) }
}

t.test('all pods of the API go away and come back together', { skip }, async t => {
  let pods = await Promise.all([1, 2, 3].map(() => openPod(t, ['/v1/x', '/'])))
  const port = await startEdge(t, haproxy, {}, { api: pods.map(pod => pod.port) })
  const reading = keepAsking(t, port)
  for (const awayMs of [100, 1_000, 4_000]) {
    await waitFor(() => reading.answers.at(-1)?.status === 200, { what: 'the readers to be answered' })
    for (const pod of pods) pod.close()
    await sleep(awayMs)
    pods = await Promise.all(pods.map(pod => pod.restart()))
    const backAt = performance.now()
    const first = await waitFor(() => reading.of(200).find(({ at }) => at > backAt), {
      what: 'an answer of a pod that came back',
    })
    isQuick(t, first.at - backAt, 2_000, `away for ${awayMs} ms, and answers after that`)
  }
  await reading.stop()
  t.ok(reading.of(503).length > 100, 'meanwhile readers are refused')
  isQuick(t, reading.longestMs(), 2_500, 'and none waits')
  const statuses = new Set(reading.answers.map(({ status }) => status))
  statuses.delete('closed')
  // Of a request whose last try a pod had accepted, as it went.
  statuses.delete(502)
  t.same([...statuses].sort(), [200, 503])
})

t.test('readers see nothing of a pod that fails again and again', { skip }, async t => {
  const pods = await Promise.all([1, 2, 3].map(() => openPod(t, ['/v1/x', '/'])))
  const port = await startEdge(t, haproxy, {}, { api: pods.map(pod => pod.port) })
  const reading = keepAsking(t, port)
  let flapping = pods[0]!
  for (let round = 0; round < 6; round++) {
    await waitFor(() => flapping.heard.length > 20, { what: 'the pod to be asked' })
    flapping.close()
    await sleep(300)
    flapping = await flapping.restart()
  }
  await reading.stop()
  t.equal(reading.of(200).length, reading.answers.length)
  isQuick(t, reading.longestMs(), 2_000, 'the longest answer')
})
