// The load balancer's configuration, run for real: three realtime pods and two API pods behind one base URL,
// one pod drained and one killed during traffic, and no client misses a payment.
import { generateKeyPairSync } from 'node:crypto'
import { connect } from 'node:net'
import { fileURLToPath } from 'node:url'
import { findFreePort } from '@payment-tracking/stack'
import {
  startProgram,
  startService,
  waitFor,
  type StartedService,
  type TestContext,
} from '@payment-tracking/testkit'
import t, { type Test } from 'tap'
import { openSteadyStream } from '../../services/realtime/test/open-stream.js'
import { SteadyClient } from '../../services/realtime/test/steady-client.js'
import { usePods, type Pod, type Pods } from '../../services/realtime/test/use-pods.js'
import { findHaproxy } from './find-haproxy.js'

const CLIENTS = 24
const STREAMS = 4
const READERS = 16
const CONFIGURATION = fileURLToPath(new URL('../../infra/loadbalancer/haproxy.cfg', import.meta.url))

type Address = ReturnType<typeof addressOf>
type Addresses = Record<'api' | 'realtime' | 'console', Address[]>

async function startHaproxy(t: TestContext, file: string, addresses: Addresses): Promise<string> {
  const port = await findFreePort()
  const env: Record<string, string> = { LISTEN: `127.0.0.1:${port}` }
  for (const [kind, list] of Object.entries(addresses))
    for (const [index, at] of list.entries()) {
      const name = `${kind.toUpperCase()}_${index + 1}`
      env[name] = `127.0.0.1:${at.port}`
      env[`${name}_MANAGEMENT`] = String(at.management)
    }
  startProgram(t, file, ['-f', CONFIGURATION, '-db'], { env })
  const url = `http://127.0.0.1:${port}`
  await waitFor(async () => (await fetch(`${url}/v1/health`)).ok, { what: 'an answer through HAProxy' })
  return url
}

const portOf = (url: string) => Number(new URL(url).port)
const addressOf = (url: string, service: StartedService) => ({
  port: portOf(url),
  management: portOf(service.managementUrl),
})

/** Traffic through the base URL while one pod is drained and one killed. */
async function loseTwoPods(
  t: Test,
  pods: Pods,
  three: readonly [Pod, Pod, Pod],
  baseUrl: string,
  trackingId: string,
) {
  const connectClient = (_: unknown, n: number) =>
    new SteadyClient(t, { trackingId, url: () => baseUrl, localAddress: `127.0.1.${n + 1}` })
  const clients = Array.from({ length: CLIENTS }, connectClient)
  const streams = Array.from({ length: STREAMS }, () => openSteadyStream(t, baseUrl, trackingId))
  const connections = (pod: Pod) => pod.service.figure('payment_tracking_realtime_connections')
  // A pod that the load balancer has found down for a moment gets the next ones.
  await waitFor(
    async () => {
      if ((await Promise.all(three.map(connections))).every(count => count > 0)) return true
      clients.push(connectClient(null, clients.length))
      return false
    },
    { what: 'clients on each pod', intervalMs: 500 },
  )
  await waitFor(() => clients.every(({ caughtUp }) => caughtUp), { what: 'all clients' })
  await waitFor(() => streams.every(({ connections }) => connections > 0), { what: 'all streams' })

  let paid = 0
  let paying = true
  const payer = (async () => {
    while (paying) paid = (await pods.pay({ trackingId })).at(-1)!
  })()
  const drained = three[0].service.stop('SIGTERM')
  t.equal(await drained, 0, 'the drained pod ends orderly')
  await waitFor(() => clients.every(({ caughtUp }) => caughtUp), { what: 'all clients on the other pods' })
  await three[1].service.stop('SIGKILL')
  await waitFor(() => clients.every(({ caughtUp, connects }) => caughtUp && connects > 0))
  const before = paid
  await waitFor(() => paid > before + 10)
  paying = false
  await payer
  await waitFor(() => clients.every(({ last }) => last === paid), { what: 'every payment at every client' })
  await waitFor(() => streams.every(({ seqs }) => seqs.at(-1) === paid), {
    what: 'all payments at all streams',
  })
  const expected = Array.from({ length: paid }, (_, index) => index + 1)
  const areStreamsWhole = streams.every(({ seqs }) => JSON.stringify(seqs) === JSON.stringify(expected))
  t.ok(areStreamsWhole, 'the event streams as well, in order')
  const wasCut = streams.some(({ connections }) => connections > 1)
  t.ok(wasCut, 'some of them were cut')
  for (const stream of streams) stream.stop()
  const areClientsWhole = clients.every(({ applied }) => JSON.stringify(applied) === JSON.stringify(expected))
  t.ok(areClientsWhole, `${paid} payments`)
  t.equal((await fetch(`${baseUrl}/v1/health`)).status, 200)
  for (const client of clients) client.stop()
}

/** Sends bytes to the base URL, on a connection that is a second old. @returns status and body of the answer */
async function send(baseUrl: string, bytes: string): Promise<{ status: number; body: unknown }> {
  const socket = connect(portOf(baseUrl), '127.0.0.1', () => setTimeout(() => socket.write(bytes), 1_000))
  let heard = ''
  for await (const chunk of socket) {
    heard += String(chunk)
    if (heard.endsWith('}')) break
  }
  socket.destroy()
  return {
    status: Number(/^HTTP\/1\.1 (\d+)/.exec(heard)?.[1]),
    body: JSON.parse(heard.slice(heard.indexOf('\r\n\r\n') + 4)) as unknown,
  }
}

/** Every refusal has the one shape of errors, whether a service or the load balancer made it. */
async function refuseInOneShape(t: Test, baseUrl: string, requests: [string, number, string][]) {
  const shape = { success: false, error: String, timestamp: Number, requestId: String }
  for (const [bytes, status, code] of requests) {
    t.match(await send(baseUrl, bytes), { status, body: { ...shape, code } }, code)
  }
}

/** Reads without a pause while a pod dies with requests in its hands. */
async function loseAnApi(t: Test, baseUrl: string, api: StartedService) {
  const statuses: (number | string)[] = []
  let reading = true
  const read = async () => {
    while (reading)
      statuses.push(await fetch(`${baseUrl}/v1/events?limit=100`).then(({ status }) => status, String))
  }
  const readers = Array.from({ length: READERS }, read)
  const readOn = (from = statuses.length) =>
    waitFor(() => statuses.length > from + 20 * READERS, { what: 'answers' })
  await readOn()
  await api.stop('SIGKILL')
  await readOn()
  reading = false
  await Promise.all(readers)
  const failed = statuses.filter(status => status !== 200)
  t.same(failed, [], `each of ${statuses.length} readers was answered`)
}

/** The console's pages and files, then what is answered while no pod of it is there. */
async function loseTheConsole(t: Test, baseUrl: string, consoles: readonly StartedService[]) {
  const page = await waitFor(
    async () => {
      const answer = await fetch(`${baseUrl}/console/payments`)
      return answer.ok && (await answer.text())
    },
    { what: 'a page of the console' },
  )
  const [script] = /\/console\/assets\/[\w-]+\.js/.exec(page)!
  t.match((await fetch(baseUrl + script)).headers.get('cache-control'), 'immutable')
  t.match(await fetch(`${baseUrl}/console`, { redirect: 'manual' }), { status: 301 })
  await Promise.all(consoles.map(service => service.stop('SIGKILL')))
  await waitFor(async () => (await fetch(`${baseUrl}/console/`)).status === 503, { what: 'a refusal' })
  await refuseInOneShape(t, baseUrl, [['GET /console/ HTTP/1.1\r\nhost: x\r\n\r\n', 503, 'UNAVAILABLE']])
  t.equal((await fetch(`${baseUrl}/v1/health`)).status, 200, 'the API is not affected')
}

const TOO_LARGE = 'POST /v1/webhooks HTTP/1.1\r\nhost: x\r\ncontent-length: 1000000\r\n\r\n'
const LONG_HEADER = `GET /v1/health HTTP/1.1\r\nhost: x\r\nx-long: ${'y'.repeat(40_000)}\r\n\r\n`

const { haproxy, skip } = findHaproxy()

t.test('behind a real load balancer', { skip }, async t => {
  const pods = await usePods(t, {
    TRUST_PROXY: 'on',
    'realtime.leaseMs': '2000',
    'realtime.longestDrainMs': '500',
  })
  const jwk = { ...generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' }), kid: 'test' }
  const startApi = async () => {
    const env = { ...pods.env, JWT_PRIVATE_KEYS: JSON.stringify([jwk]), RATE_LIMIT_MAX: '1000000' }
    const service = await startService(t, 'api', env)
    const { address } = await service.waitForLog('http.listening')
    return { service, at: addressOf(String(address), service) }
  }
  const startConsoles = async () => {
    const services = await Promise.all([1, 2].map(() => startService(t, 'console', { PORT: '0' })))
    const lines = await Promise.all(services.map(service => service.waitForLog('http.listening')))
    return { services, at: lines.map(({ address }, index) => addressOf(String(address), services[index]!)) }
  }
  const start = () => pods.start()
  const [api1, api2, one, two, three] = await Promise.all([startApi(), startApi(), start(), start(), start()])
  const consoles = await startConsoles()
  const list = [one, two, three] as const
  const baseUrl = await startHaproxy(t, haproxy, {
    api: [api1.at, api2.at],
    console: consoles.at,
    realtime: list.map(({ url, service }) => addressOf(url, service)),
  })
  await refuseInOneShape(t, baseUrl, [
    ['rubbish\r\n\r\n', 400, 'INVALID_REQUEST'],
    ['GET /v1/health HTTP/1.1\r\nhost: x\r\nbad header\r\n\r\n', 400, 'INVALID_REQUEST'],
    ['GET /v1/', 408, 'REQUEST_TIMEOUT'],
    [TOO_LARGE, 413, 'BODY_TOO_LARGE'],
    [LONG_HEADER, 431, 'HEADERS_TOO_LARGE'],
  ])
  await loseTwoPods(t, pods, list, baseUrl, 'through haproxy')
  await loseAnApi(t, baseUrl, api1.service)
  await loseTheConsole(t, baseUrl, consoles.services)
})
