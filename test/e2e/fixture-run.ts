// A set of fixtures from outside: its messages through NATS, in any order, twice, while services are killed; its answers
// through REST, sockets and webhooks of the services that run.
import { createPrivateKey, randomUUID, sign } from 'node:crypto'
import { watchPayments, type PaymentWatch } from '@payment-tracking/client'
import { DEFAULT_SUBJECT_PREFIX } from '@payment-tracking/contracts'
import { buildJwtKeys, findFreePort } from '@payment-tracking/stack'
import {
  compareAnswers,
  createDatabase,
  describeDifferences,
  findContradictions,
  openReceiver,
  shuffleFixtures,
  startService,
  useNats,
  useRedis,
  waitFor,
  type FixtureAnswers,
  type FixtureMessage,
  type Receiver,
  type StartedService,
  type TestContext,
} from '@payment-tracking/testkit'
import bs58 from 'bs58'
import type { Test } from 'tap'

const SERVICES = ['ingest', 'api', 'webhook-worker', 'realtime'] as const
type Service = (typeof SERVICES)[number]

export interface FixtureRun {
  messages: readonly FixtureMessage[]
  expected: FixtureAnswers
  seed: number
  /** how often a service is killed in each of the two publications */
  kills: number
}

interface Gateway {
  gateway: string
  authority: string
  authoritySecret: string
}

/** What one tracking ID was told by its socket. */
interface Told {
  payments: Map<number, string>
  retracted: Map<number, string>
  doubles: number[]
  refused: string[]
}

/** The whole run. Assertions are of `t`. */
export async function runFixtures(t: Test, { messages, expected, seed, kills }: FixtureRun): Promise<void> {
  const system = await openSystem(t)
  const startedAt = Date.now()
  const say = (what: string) => t.comment(`${what} after ${Math.round((Date.now() - startedAt) / 1_000)} s`)
  await system.publish(gatewaysFirst(messages))
  const endpoints = await openEndpoints(t, system.apiUrl, lastingGateways(messages, expected))
  const told = openSockets(t, system.realtimeUrl, expected)

  say('endpoints and sockets are open')
  // A kill may put a message behind its contradiction, and then the contradiction would be kept.
  const contradictions = findContradictions(messages)
  let killed = 0
  for (const publication of [1, 2]) {
    const shuffled = shuffleFixtures(messages, seed + publication).filter(
      message => publication === 2 || !contradictions.has(message),
    )
    const part = Math.ceil(shuffled.length / (kills + 1))
    for (let at = 0; at < shuffled.length; at += part) {
      await system.publish(shuffled.slice(at, at + part))
      if (at + part < shuffled.length) await system.kill(SERVICES[(seed + killed++) % SERVICES.length]!)
    }
    if (publication === 1) {
      await system.waitUntilRead()
      await system.publish([...contradictions])
    }
  }
  say('everything is published')
  await system.settle()
  say('everything is settled')
  const ask = async (path: string) => {
    const answer = await fetch(system.apiUrl + path)
    return { status: answer.status, text: await answer.text() }
  }
  const comparison = await compareAnswers(expected, ask)
  t.strictSame(describeDifferences(comparison), [], `all of ${comparison.compared} answers`)
  say('REST was asked')
  await checkSockets(t, expected, told, ask)
  say('sockets were heard')
  for (const endpoint of endpoints) await checkEndpoint(t, endpoint, ask)
  t.strictSame(system.faults(), [], 'no fault was logged')
}

async function openSystem(t: TestContext) {
  const [database, redis, nats] = await Promise.all([createDatabase(t), useRedis(t), useNats(t)])
  const [apiPort, realtimePort] = [await findFreePort(), await findFreePort()]
  const env = {
    DATABASE_URL: database.url,
    REDIS_URL: redis.url,
    NATS_URL: nats.url,
    STREAM_NAME: nats.stream,
    SUBJECT_PREFIX: nats.subjectPrefix,
    ENVIRONMENT: `fixtures-${randomUUID().slice(0, 8)}`,
    JWT_PRIVATE_KEYS: buildJwtKeys(),
    WEBHOOK_ALLOW_PRIVATE_TARGETS: 'on',
    WEBHOOK_BACKOFF_MS: '200',
    WEBHOOK_OVERDUE_MS: '1000',
    SWEEP_INTERVAL_MS: '500',
    HEAL_INTERVAL_MS: '1000',
    LEASE_MS: '3000',
    ACK_WAIT_MS: '3000',
    BATCH_SIZE: '100',
    RATE_LIMIT_MAX: '1000000',
    MAX_CONNECTIONS_PER_ADDRESS: '100000',
  }
  const portOf = { ingest: 0, api: apiPort, 'webhook-worker': 0, realtime: realtimePort }
  const started: StartedService[] = []
  const running = {} as Record<Service, StartedService>
  const start = async (name: Service, waitUntilReady: boolean) => {
    running[name] = await startService(t, name, { ...env, PORT: String(portOf[name]) }, { waitUntilReady })
    started.push(running[name])
  }
  await Promise.all(SERVICES.map(name => start(name, true)))
  const manager = await nats.connection.jetstreamManager()
  const countOf = async (sql: string) =>
    Number((await database.pool.query<{ count: string }>(sql)).rows[0]!.count)
  const isRead = async () => {
    const { num_pending, num_ack_pending } = await manager.consumers.info(nats.stream, 'ingest')
    return num_pending + num_ack_pending === 0
  }
  const isSettled = async () => {
    if (!(await isRead())) return false
    const open = await countOf(`select (select count(*) from ingest_batches where handed_over_at is null)
      + (select count(*) from announcements)
      + (select count(*) from deliveries where state in ('pending', 'waiting')) as count`)
    return open === 0
  }
  return {
    apiUrl: `http://127.0.0.1:${apiPort}`,
    realtimeUrl: `http://127.0.0.1:${realtimePort}`,
    async publish(messages: readonly FixtureMessage[]) {
      for (const { subject, bytes } of messages)
        await nats.jetstream.publish(subject.replace(DEFAULT_SUBJECT_PREFIX, nats.subjectPrefix), bytes)
    },
    async kill(name: Service) {
      await running[name].stop('SIGKILL')
      await start(name, false)
    },
    waitUntilRead: () =>
      waitFor(isRead, { what: 'everything to be read', timeoutMs: 90_000, intervalMs: 200 }),
    async settle() {
      await waitFor(isSettled, {
        what: 'everything to be read, announced and delivered',
        timeoutMs: 90_000,
        intervalMs: 200,
      })
      await waitFor(async () => (await fetch(`http://127.0.0.1:${apiPort}/v1/health`)).ok, {
        what: 'the api',
      })
    },
    faults: () =>
      started.flatMap(({ logs }) =>
        logs.filter(({ level }) => level === 'error' || level === 'fatal').map(line => JSON.stringify(line)),
      ),
  }
}

const membersOf = ({ bytes }: FixtureMessage): Record<string, unknown> => {
  try {
    return (JSON.parse(Buffer.from(bytes).toString('utf8')) ?? {}) as Record<string, unknown>
  } catch {
    return {}
  }
}
const isNamed = (message: FixtureMessage, name: string): boolean =>
  String(membersOf(message).event_name).endsWith(name)

/** Without its Created, nobody can sign in for a gateway. */
const gatewaysFirst = (messages: readonly FixtureMessage[]): FixtureMessage[] =>
  messages.filter(message => isNamed(message, 'PaymentGatewayCreated'))

/** Gateways that are deleted at any time lose their webhooks then, whatever becomes of them later. */
function lastingGateways(messages: readonly FixtureMessage[], expected: FixtureAnswers): Gateway[] {
  const deleted = new Set(
    messages
      .filter(message => isNamed(message, 'PaymentGatewayDeleted'))
      .map(message => (membersOf(message).data as { gateway?: unknown } | undefined)?.gateway),
  )
  return (expected.gateways as unknown as Gateway[]).filter(({ gateway }) => !deleted.has(gateway))
}

/** Signs with a wallet's secret: base58 of the ed25519 seed and its public key. */
function signWith(secret: string, text: string): string {
  const seed = Buffer.from(bs58.decode(secret).slice(0, 32))
  const head = Buffer.from('302e020100300506032b657004220420', 'hex')
  const key = createPrivateKey({ key: Buffer.concat([head, seed]), format: 'der', type: 'pkcs8' })
  return bs58.encode(sign(null, Buffer.from(text, 'utf8'), key))
}

async function post(url: string, body: unknown, token?: string): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
    body: JSON.stringify(body),
  })
}

async function signIn(apiUrl: string, { gateway, authority, authoritySecret }: Gateway): Promise<string> {
  const url = `${apiUrl}/v1/gateway/${gateway}/auth`
  const challenge = await waitFor(
    async () => {
      const answer = await post(`${url}/challenge`, {})
      return answer.ok ? answer : undefined
    },
    { what: `gateway ${gateway}`, timeoutMs: 20_000 },
  )
  const { nonce } = (await challenge.json()) as { nonce: string }
  const signature = signWith(authoritySecret, nonce)
  const verified = await post(`${url}/verify`, { signer: authority, signature, nonce })
  return ((await verified.json()) as { token: string }).token
}

interface Endpoint {
  gateway: string
  finality: 'confirmed' | 'finalized'
  /** absent: what a webhook gets that names none */
  eventTypes?: string[]
  receiver: Receiver
}

const BOTH_TYPES = ['payment.executed', 'payment.retracted']
const KINDS = [
  { finality: 'confirmed', eventTypes: BOTH_TYPES },
  { finality: 'finalized', eventTypes: BOTH_TYPES },
  { finality: 'confirmed' },
] as const

/** Of each gateway: one endpoint that is told at once, one that waits until a payment is final, one that chose nothing. */
async function openEndpoints(
  t: TestContext,
  apiUrl: string,
  gateways: readonly Gateway[],
): Promise<Endpoint[]> {
  const endpoints: Endpoint[] = []
  for (const gateway of gateways) {
    const token = await signIn(apiUrl, gateway)
    for (const kind of KINDS) {
      const receiver = await openReceiver(t)
      const body = { gateway_pubkey: gateway.gateway, endpoint_url: receiver.url, ...kind }
      const created = await post(`${apiUrl}/v1/webhooks`, body, token)
      if (created.status !== 201) throw new Error(`POST /v1/webhooks: ${await created.text()}`)
      endpoints.push({ gateway: gateway.gateway, receiver, ...kind })
    }
  }
  return endpoints
}

function openSockets(t: TestContext, url: string, expected: FixtureAnswers): Map<string, Told> {
  const told = new Map<string, Told>()
  const watches: PaymentWatch[] = []
  t.teardown(() => watches.forEach(watch => watch.close()))
  for (const { trackingId } of expected.oneTime as { trackingId: string }[]) {
    const mine: Told = { payments: new Map(), retracted: new Map(), doubles: [], refused: [] }
    told.set(trackingId, mine)
    watches.push(
      watchPayments(url, {
        trackingId,
        since: 0,
        onPayment: ({ seq, signature }) => {
          if (mine.payments.has(seq)) mine.doubles.push(seq)
          mine.payments.set(seq, signature)
        },
        onRetraction: ({ seq, signature }) => {
          if (mine.retracted.has(seq)) mine.doubles.push(seq)
          mine.retracted.set(seq, signature)
        },
        onRefused: ({ code, isFinal }) => isFinal && mine.refused.push(code),
        onReset: () => mine.refused.push('another database'),
      }),
    )
  }
  return told
}

type Ask = (path: string) => Promise<{ status: number; text: string }>
interface Payment {
  eventId: string
  eventName: string
  trackingId: string | null
  data: { composable_policy?: string }
  signature: string
  seq: number
  finality: string
}

/** What a socket was told, less what was taken back, is what REST lists. */
async function checkSockets(
  t: Test,
  expected: FixtureAnswers,
  told: ReadonlyMap<string, Told>,
  ask: Ask,
): Promise<void> {
  const problems: string[] = []
  const wanted = expected.oneTime as { trackingId: string; seqs: number; retracted: unknown[] }[]
  const isComplete = ({ trackingId, seqs, retracted }: (typeof wanted)[number]) => {
    const mine = told.get(trackingId)!
    const seen = new Set([...mine.payments.keys(), ...mine.retracted.keys()])
    return seen.size >= seqs && mine.retracted.size >= retracted.length
  }
  // What is missing then is named below.
  await waitFor(() => wanted.every(isComplete), { what: 'all sockets', timeoutMs: 30_000 }).catch(() => {})
  for (const each of wanted) {
    const { trackingId, seqs } = each
    const mine = told.get(trackingId)!
    if (!isComplete(each))
      problems.push(
        `${trackingId}: ${mine.payments.size} payments, ${mine.retracted.size} retractions of ${seqs}`,
      )
    const { data } = JSON.parse(
      (await ask(`/v1/onetime/${encodeURIComponent(trackingId)}?limit=1000`)).text,
    ) as {
      data?: Payment | Payment[]
    }
    const listed = [data ?? []].flat().map(({ seq, signature }) => `${seq} ${signature}`)
    const standing = [...mine.payments]
      .filter(([seq]) => !mine.retracted.has(seq))
      .map(([seq, signature]) => `${seq} ${signature}`)
    if (listed.sort().join() !== standing.sort().join())
      problems.push(`${trackingId}: REST ${listed.join(', ')}; socket ${standing.join(', ')}`)
    if (mine.doubles.length + mine.refused.length > 0)
      problems.push(`${trackingId}: doubles ${mine.doubles.join()}, refused ${mine.refused.join()}`)
  }
  t.strictSame(problems, [], `sockets of ${told.size} tracking IDs`)
}

/** A payment of a composable policy that nobody has told us of yet is told with its policy. */
async function awaitsPolicy({ eventName, trackingId, data }: Payment, ask: Ask): Promise<boolean> {
  if (eventName !== 'ComposableExecuted' || trackingId !== null) return false
  const path = `/v1/events?eventName=ComposablePolicyCreated&paymentPolicy=${data.composable_policy}`
  return (JSON.parse((await ask(path)).text) as unknown[]).length === 0
}

/** Every payment that stands was posted under one id and one body; what was posted and is retracted was taken back. */
async function checkEndpoint(
  t: Test,
  { gateway, finality, eventTypes, receiver }: Endpoint,
  ask: Ask,
): Promise<void> {
  const listed = JSON.parse(
    (await ask(`/v1/events/payments?gateway=${gateway}&limit=1000`)).text,
  ) as Payment[]
  const waiting = new Set<Payment>()
  for (const payment of listed) if (await awaitsPolicy(payment, ask)) waiting.add(payment)
  const due = listed.filter(
    payment => !waiting.has(payment) && (finality === 'confirmed' || payment.finality === 'finalized'),
  )
  const bodies = new Map<string, Set<string>>()
  const executed = new Map<string, Set<string>>()
  const retracted = new Set<string>()
  for (const { headers, body } of receiver.requests) {
    const id = String(headers['webhook-id'])
    bodies.set(id, (bodies.get(id) ?? new Set()).add(body))
    const { type, data } = JSON.parse(body) as { type: string; data: { eventId: string } }
    if (type === 'payment.retracted') retracted.add(data.eventId)
    else executed.set(data.eventId, (executed.get(data.eventId) ?? new Set()).add(id))
  }
  const what = `${finality} ${eventTypes ? 'endpoint' : 'endpoint without types'} of ${gateway}`
  t.ok(
    [...bodies.values()].every(of => of.size === 1),
    `${what}: every attempt has the same body`,
  )
  t.ok(
    [...executed.values()].every(of => of.size === 1),
    `${what}: each payment has one id`,
  )
  if (eventTypes === undefined) t.equal(retracted.size, 0, `${what}: no type that was not chosen`)
  const standing = new Set(due.map(({ eventId }) => eventId))
  t.strictSame(
    [...standing].filter(id => !executed.has(id)),
    [],
    `${what}: all of ${due.length} payments were posted`,
  )
  t.strictSame(
    [...executed.keys()].filter(id => !standing.has(id) && !retracted.has(id) && eventTypes !== undefined),
    [],
    `${what}: no other stands`,
  )
  t.strictSame(
    [...retracted].filter(id => standing.has(id)),
    [],
    `${what}: nothing that stands was taken back`,
  )
}
