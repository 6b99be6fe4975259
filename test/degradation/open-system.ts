// A process of each service on servers that the test may kill, and each kind of user: a paid policy, a socket, a webhook
// receiver, a signed-in gateway, an operator.
import { randomUUID } from 'node:crypto'
import { type SocketPayment, type SubscribeReply } from '@payment-tracking/contracts'
import { buildJwtKeys } from '@payment-tracking/stack'
import {
  buildChain,
  createDatabase,
  openPrivateServers,
  openPublisher,
  openReceiver,
  waitFor,
  type Receiver,
  type TestContext,
  queryOnce,
} from '@payment-tracking/testkit'
import { Redis } from 'ioredis'
import { connectTo, type Client } from '../../services/realtime/test/use-pods.js'
import { askJson } from '../ask-json.js'
import { signIn } from '../chaos/load/receivers.js'
import { startRelease, type ServiceName } from '../upgrade/release-set.js'

export type ServerName = 'postgres' | 'redis' | 'nats'

export interface Answer {
  status: number
  /** Of an answer that is no success. */
  code: string | undefined
  body: unknown
}

const TRACKING_ID = 'degradation'
/** Fast where a default would only be waited for; docs/degradation.md names the defaults. */
const LEASE_MS = 2_000

export async function openSystem(t: TestContext) {
  const servers = await openPrivateServers(t)
  const database = await createDatabase(t, { serverUrl: servers.databaseUrl })
  const token = randomUUID()
  const env = {
    DATABASE_URL: database.url,
    REDIS_URL: servers.redisUrl,
    NATS_URL: servers.natsUrl,
    JWT_PRIVATE_KEYS: buildJwtKeys(),
    OPS_TOKEN: token,
    OPS_PORT: '0',
    RATE_LIMIT_MAX: '100000',
    PORT: '0',
    WEBHOOK_ALLOW_PRIVATE_TARGETS: 'on',
    'realtime.leaseMs': String(LEASE_MS),
    'ingest.ackWaitMs': '5000',
    'ingest.sweepEveryMs': '500',
    'webhook-worker.overdueMs': '1000',
    'realtime.longestDrainMs': '0',
  }
  const publisher = await openPublisher(env)
  t.teardown(() => publisher.close())
  const chain = buildChain({ seed: 'degradation' })
  const gateway = await chain.openGateway()
  const userPayment = await chain.openUserPayment()
  const policy = await chain.openPolicy(gateway, userPayment, { trackingId: TRACKING_ID })
  for (const { created } of [gateway, userPayment, policy]) await publisher.publish(JSON.stringify(created))

  const release = await startRelease(t, env)
  const { address: opsUrl } = await release.services.ops.waitForLog('http.listening')
  const urls = {
    api: `http://127.0.0.1:${release.apiPort}`,
    ops: opsUrl as string,
    realtime: `http://127.0.0.1:${release.realtimePort}`,
  }

  const ask = async (
    service: 'api' | 'ops',
    path: string,
    asked: { token?: string; method?: string; body?: unknown } = {},
  ): Promise<Answer> => {
    // The service must answer within this time whatever is away.
    const answer = await askJson(urls[service] + path, { ...asked, timeoutMs: 8_000 })
    return { status: answer.status, code: answer.body?.code, body: answer.body ?? answer.text }
  }

  const connect = () => connectTo(t, urls.realtime)
  const subscribe = (client: Client): Promise<SubscribeReply> =>
    client.timeout(20_000).emitWithAck('subscribe', { trackingId: TRACKING_ID, since: 0 })
  /** Asks until it is granted; a refusal is the answer "not now". */
  const subscribeAtLast = (client: Client) =>
    waitFor(async () => (await subscribe(client)).ok, { what: 'a subscription', timeoutMs: 60_000 })

  const redis = new Redis(servers.redisUrl)
  redis.on('error', () => {})
  t.teardown(() => redis.disconnect())

  const client = connect()
  const sent: SocketPayment[] = []
  client.on('payment', ({ data }) => sent.push(data))
  await subscribeAtLast(client)

  const receiver: Receiver = await openReceiver(t)
  const gatewayToken = await waitFor(() => signIn(urls.api, gateway), { what: 'a gateway that is known' })
  const webhook = await ask('api', '/v1/webhooks', {
    method: 'POST',
    token: gatewayToken,
    body: { gateway_pubkey: gateway.address, endpoint_url: receiver.url, format: 'standard' },
  })
  const { id: webhookId } = webhook.body as { id: number }

  /** What the management port says; `missing` are the lines of readiness that are not ok. */
  const check = async (name: ServiceName) => {
    const { managementUrl } = release.services[name]
    const alive = await fetch(`${managementUrl}/healthz`)
    const ready = await fetch(`${managementUrl}/readyz`)
    const { dependencies } = (await ready.json()) as { dependencies: Record<string, string> }
    const missing = Object.keys(dependencies).filter(line => dependencies[line] !== 'ok')
    return { alive: alive.status, ready: ready.status, missing }
  }
  /** Publishes the next payment. @returns its signature */
  const pay = async (): Promise<string> => {
    const payment = JSON.stringify(chain.pay(policy))
    // NATS may be starting. A message that it stored without an acknowledgement becomes a duplicate.
    await waitFor(() => publisher.publish(payment), { what: 'a publish that is acknowledged' })
    return (JSON.parse(payment) as { signature: string }).signature
  }
  /** On a connection of its own: a pool would die with the server. */
  const query = (sql: string): Promise<unknown[]> => queryOnce(database.url, sql)

  return {
    servers,
    redis,
    urls,
    services: release.services,
    gateway,
    gatewayToken,
    webhookId,
    opsToken: token,
    client,
    sent,
    receiver,
    ask,
    connect,
    subscribe,
    subscribeAtLast,
    faults: () => release.faults(),
    stop: () => release.stop(),
    check,
    pay,
    query,
    publish: (text: string) => publisher.publish(text),
    hasPosted: (signature: string) => receiver.requests.some(({ body }) => body.includes(signature)),
    hasSent: (signature: string) => sent.some(payment => payment.signature === signature),
  }
}
