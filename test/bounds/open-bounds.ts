// A system in which one gateway has a long history, and another gateway is paid 20 times a second: whatever is done to the
// first, `watch` says how long the payments of the second took to reach a socket and an endpoint meanwhile.
import { randomBytes } from 'node:crypto'
import {
  SOCKET_PATH,
  type ClientToServerEvents,
  type ServerToClientEvents,
} from '@payment-tracking/contracts'
import { buildJwtKeys } from '@payment-tracking/stack'
import { createWebhook } from '@payment-tracking/store/admin'
import { openStore, type Store } from '@payment-tracking/store/core'
import {
  analyzeAll,
  buildChain,
  fillDeliveries,
  fillPayments,
  fillWaiting,
  openPublisher,
  openReceiver,
  startService,
  waitFor,
  type Chain,
  type ChainMessage,
  type ChainPolicy,
  type FilledHistory,
  type TestContext,
  type TestDatabase,
} from '@payment-tracking/testkit'
import { io, type Socket } from 'socket.io-client'
import { signIn } from '../chaos/load/receivers.js'

export interface BoundsSizes {
  /** of one pay-as-you-go policy */
  payments: number
  /** of each policy whose payments wait: for finality, for the policy, for the user payment */
  waiting: number
  /** open deliveries of each endpoint */
  deliveries: number
  /** of each of the 20 endpoints of the gateway that ends; default: `deliveries` */
  doomed?: number
}

/** What one thing cost. */
export interface Watched {
  name: string
  /** until it was done, in milliseconds, with all work that followed */
  doneMs: number
  /** of the other gateway's payments meanwhile, from the stream to the socket and to the first attempt, in milliseconds */
  slowestMs: number
  /** of the same payments, from the stream to the socket alone */
  slowestOnSocketMs: number
  laggards: number[]
  /** of the slowest payment, and of the payment at the 90th of 100 places */
  stages: Stages[]
}

/** Milliseconds from the stream to the commit, to the announcement, to the socket, to the attempt's row, to the endpoint. */
type Stages = Record<'committed' | 'relayed' | 'onSocket' | 'begun' | 'attempted', number>

/** A name for what `buildChain` makes. */
type BoundsChain = Omit<Chain, 'payDirectly'>

const PER_SECOND = 20
const HONEST_POLICIES = 20
const ENDPOINTS = 20
/** What was paid is over: the history lies in the past of both clocks. */
const PAST = Date.parse('2026-03-01T12:00:00.000Z')

interface Payment {
  signature: string
  sentAt: number
  onSocketAt?: number
  attemptedAt?: number
}

const keyOf = (trackingId: string, recordId: number) => `${trackingId} ${recordId}`

export async function openBounds(
  t: TestContext,
  servers: { natsUrl: string; redisUrl: string },
  database: TestDatabase,
  sizes: BoundsSizes,
) {
  const name = `bounds_${randomBytes(3).toString('hex')}`
  const env = {
    DATABASE_URL: database.url,
    REDIS_URL: servers.redisUrl,
    NATS_URL: servers.natsUrl,
    STREAM_NAME: name,
    SUBJECT_PREFIX: name,
    ENVIRONMENT: name.replace('_', '-'),
    JWT_PRIVATE_KEYS: buildJwtKeys(),
    RATE_LIMIT_MAX: '100000',
    PORT: '0',
    'realtime.longestDrainMs': '0',
    MAX_CONNECTIONS_PER_ADDRESS: '100000',
    WEBHOOK_ALLOW_PRIVATE_TARGETS: 'on',
    WEBHOOK_MAX_PER_SECOND: '100000',
    MANAGEMENT_HOST: '127.0.0.1',
    LOG_LEVEL: 'info',
  }
  const store: Store = openStore({ DATABASE_URL: database.url, poolSize: 3 })
  t.teardown(() => store.close())
  const publisher = await openPublisher(env)
  t.teardown(() => publisher.close())
  const publish = (message: object) => publisher.publish(JSON.stringify(message))
  const { pool } = database
  const count = async (text: string, values: unknown[] = []): Promise<number> => {
    const { rows } = await pool.query<{ n: string }>(`select (${text}) as n`, values)
    return Number(rows[0]!.n)
  }
  const ingest = await startService(t, 'ingest', env)

  // The past: a message each, from which SQL fills the history.
  const past: BoundsChain = buildChain({ seed: name, firstSlot: 1_000_000, now: () => PAST })
  const gateway = await past.openGateway()
  const doomed = await past.openGateway()
  const userPayment = await past.openUserPayment()
  const unknown = await past.openUserPayment()
  const metered = await past.openPolicy(gateway, userPayment, { trackingId: 'metered' })
  metered.created.data.policy_type = {
    variant: 'PayAsYouGo',
    max_amount_per_period: '9',
    max_chunk_amount: '9',
    period_length_seconds: '900000',
    current_period_start: String(PAST / 1000 - 10),
    current_period_total: '0',
    expiry_date: null,
  }
  const late = await past.openPolicy(gateway, userPayment, { trackingId: 'late' })
  const ownerless = await past.openPolicy(gateway, unknown, { trackingId: 'ownerless' })
  const final = await past.openPolicy(gateway, userPayment, { trackingId: 'final' })
  const last = await past.openPolicy(doomed, userPayment, { trackingId: 'doomed' })
  const policies = { metered, late, ownerless, final, doomed: last }
  const created = [gateway, doomed, userPayment, metered, ownerless, final, last].map(each => each.created)
  for (const message of [...created, ...Object.values(policies).map(policy => past.pay(policy))])
    await publish(message)
  const messages = created.length + Object.keys(policies).length
  await waitFor(async () => (await count('select count(*) from events')) === messages, {
    what: 'the first events',
  })

  const addEndpoints = async (of: string, many: number, over: object = {}): Promise<string[]> => {
    const endpoints = []
    for (let n = 0; n < many; n++)
      endpoints.push(
        await createWebhook(store, {
          gateway: of,
          endpointUrl: 'http://127.0.0.1:9/',
          active: true,
          ...over,
        }),
      )
    return endpoints.map(({ id }) => String(id))
  }
  const [finalized] = await addEndpoints(gateway.address, 1, { finality: 'finalized' })
  const [choosy] = await addEndpoints(gateway.address, 1, {
    filters: { recipient: late.recipient, tokenMint: userPayment.tokenMint },
  })
  const endpoints = await addEndpoints(gateway.address, ENDPOINTS - 2)
  const doomedEndpoints = await addEndpoints(doomed.address, ENDPOINTS)
  const paid = {} as Record<keyof typeof policies, FilledHistory>
  for (const [which, { address: policy }] of Object.entries(policies) as [
    keyof typeof policies,
    ChainPolicy,
  ][])
    paid[which] = await fillPayments(pool, {
      policy,
      count: which === 'metered' ? sizes.payments : sizes.waiting,
      stepMs: 1_000,
    })
  await fillWaiting(pool, {
    webhook: finalized!,
    policy: final.address,
    count: sizes.waiting,
    waitsFor: 'finality',
  })
  for (const { address: policy } of [late, ownerless])
    await fillWaiting(pool, { webhook: choosy!, policy, count: sizes.waiting, waitsFor: 'details' })
  await fillDeliveries(pool, { webhooks: endpoints, policy: metered.address, count: sizes.deliveries })
  await fillDeliveries(pool, {
    webhooks: doomedEndpoints,
    policy: last.address,
    count: sizes.doomed ?? sizes.deliveries,
  })
  await analyzeAll(pool)

  const [worker, realtime, api] = await Promise.all([
    startService(t, 'webhook-worker', env),
    startService(t, 'realtime', env),
    startService(t, 'api', env),
  ])
  const { port } = await realtime.waitForLog('service.listening')
  const { address } = await api.waitForLog('http.listening')
  const apiUrl = `http://127.0.0.1:${new URL(address as string).port}`

  // The present: an honest gateway, a socket for each of its tracking IDs, and its endpoint.
  const now: BoundsChain = buildChain({ seed: `${name} now`, firstSlot: 5_000_000 })
  const honest = await now.openGateway()
  const payments = new Map<string, Payment>()
  const receiver = await openReceiver(t)
  receiver.answer(({ body, receivedAtMs }) => {
    const { data } = JSON.parse(body) as { data: { trackingId: string; recordId: number } }
    const payment = payments.get(keyOf(data.trackingId, data.recordId))
    if (payment) payment.attemptedAt ??= receivedAtMs
    return { status: 200 }
  })
  await createWebhook(store, { gateway: honest.address, endpointUrl: receiver.url, active: true })
  const wallet = await now.openUserPayment()
  const honestPolicies: ChainPolicy[] = []
  for (let n = 0; n < HONEST_POLICIES; n++)
    honestPolicies.push(await now.openPolicy(honest, wallet, { trackingId: `honest-${n}` }))
  for (const message of [honest, wallet, ...honestPolicies]) await publish(message.created)
  const client: Socket<ServerToClientEvents, ClientToServerEvents> = io(`http://127.0.0.1:${String(port)}`, {
    path: SOCKET_PATH,
    transports: ['websocket'],
    forceNew: true,
  })
  t.teardown(() => client.disconnect())
  client.on('payment', ({ data }) => {
    const payment = payments.get(keyOf(data.trackingId, Number(data.recordId)))
    if (payment) payment.onSocketAt ??= Date.now()
  })
  for (const { trackingId } of honestPolicies)
    await waitFor(async () => (await client.timeout(10_000).emitWithAck('subscribe', { trackingId })).ok, {
      what: 'a subscription',
    })

  let turn = 0
  let stopped = false
  const paying = (async () => {
    const startedAt = performance.now()
    for (let n = 0; !stopped; n++) {
      const earlyMs = startedAt + (n * 1_000) / PER_SECOND - performance.now()
      if (earlyMs > 0) await new Promise(resolve => setTimeout(resolve, earlyMs))
      const policy = honestPolicies[turn++ % HONEST_POLICIES]!
      const message = now.pay(policy)
      payments.set(keyOf(policy.trackingId, Number(message.data.record_id)), {
        signature: message.signature,
        sentAt: Date.now(),
      })
      void publish(message)
    }
  })()
  const stop = async (): Promise<void> => {
    stopped = true
    await paying
  }
  t.teardown(stop)

  /** Where a payment's time went: milliseconds from the stream to each stage. */
  const readStages = async ({ signature, sentAt, onSocketAt, attemptedAt }: Payment): Promise<Stages> => {
    const { rows } = await pool.query<Record<'committed' | 'relayed' | 'begun', number>>(
      `select extract(epoch from b.committed_at) * 1000 as committed, extract(epoch from b.relayed_at) * 1000 as relayed,
              extract(epoch from a.started_at) * 1000 as begun
         from events e
         join lateral (select * from ingest_batches b where b.first_position <= e.position
                        order by b.first_position desc limit 1) b on true
         join deliveries d on d.event_id = e.id
         join delivery_attempts a on a.delivery_id = d.id and a.number = 1
        where e.signature = $1`,
      [signature],
    )
    const { committed, relayed, begun } = rows[0]!
    const since = (at: number) => Math.round(Number(at) - sentAt)
    return {
      committed: since(committed),
      relayed: since(relayed),
      onSocket: since(onSocketAt!),
      begun: since(begun),
      attempted: since(attemptedAt!),
    }
  }
  const isIdle = async () =>
    (await count(`select count(*) from work where kind not in ('cancel', 'redeliver', 'replay')`)) === 0
  const isStored = async ({ signature, slot }: Pick<ChainMessage, 'signature' | 'slot'>) =>
    (await count('select count(*) from events where signature = $1 and slot = $2', [signature, slot])) > 0

  return {
    gateway,
    doomed,
    userPayment,
    unknown,
    policies,
    paid,
    now,
    past,
    store,
    pool,
    count,
    apiUrl,
    receiverUrl: receiver.url,
    endpoints,
    doomedEndpoints,
    finalized: finalized!,
    choosy: choosy!,
    publish,
    isStored,
    isIdle,
    stop,
    services: { ingest, worker, realtime, api },
    publishControl: (control: 'finalized' | 'retracted' | 'gap', body: object) =>
      publish({ subject: `${name}.control.${control}`, message: body }),
    signIn: (of = gateway) => signIn(apiUrl, of),
    /** Does something, waits until it is done, and says how the honest gateway's payments fared meanwhile. */
    async watch(
      what: string,
      act: () => Promise<unknown>,
      isDone: () => Promise<boolean> = isIdle,
    ): Promise<Watched> {
      const startedAt = Date.now()
      await act()
      await waitFor(isDone, { what, timeoutMs: 600_000 })
      const doneMs = Date.now() - startedAt
      // At least a second of payments, so that there is something to see.
      await new Promise(resolve => setTimeout(resolve, Math.max(0, 1_000 - doneMs)))
      const during = [...payments.values()].filter(({ sentAt }) => sentAt >= startedAt)
      const hasArrived = ({ onSocketAt, attemptedAt }: Payment) =>
        onSocketAt !== undefined && attemptedAt !== undefined
      await waitFor(() => during.every(hasArrived), { what: `payments beside: ${what}`, timeoutMs: 60_000 })
      const tookMs = ({ sentAt, onSocketAt, attemptedAt }: Payment) =>
        Math.max(onSocketAt!, attemptedAt!) - sentAt
      const slowestFirst = during.toSorted((a, b) => tookMs(b) - tookMs(a))
      const laggards = slowestFirst.map(tookMs)
      const stages = []
      for (const share of [0, 0.1])
        stages.push(await readStages(slowestFirst[Math.floor(during.length * share)]!))
      const slowestOnSocketMs = Math.max(...during.map(({ sentAt, onSocketAt }) => onSocketAt! - sentAt))
      return { name: what, doneMs, slowestMs: laggards[0]!, slowestOnSocketMs, laggards, stages }
    },
  }
}

export type Bounds = Awaited<ReturnType<typeof openBounds>>
