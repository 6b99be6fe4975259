import { fork, type ChildProcess } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { PaymentFacts } from '@payment-tracking/contracts'
import { renderPaymentMessage, signDelivery, webhookSecretOf } from '@payment-tracking/domain'
import { openQueue } from '@payment-tracking/queue'
import { insertDeliveries, openStore, type Store } from '@payment-tracking/store'
import {
  createDatabase,
  openReceiver,
  startService,
  waitFor,
  type TestDatabase,
} from '@payment-tracking/testkit'
import { inTurns, measureOf, percentile, type Bench, type BenchContext, type Row } from './bench.js'

const WEBHOOKS = 50
const CONCURRENCY = 64
/** A machine that is slow for a moment must not end the bench. */
const PATIENT = { maxWait: 60_000, timeout: 60_000 }

const makePayment = (gateway: string): PaymentFacts => ({
  eventId: randomUUID(),
  position: '1',
  trackingId: `order-${randomBytes(4).toString('hex')}`,
  seq: 1,
  signature: randomBytes(64).toString('base64'),
  slot: 452_091_000,
  occurredAt: new Date().toISOString(),
  paidAt: '1763632800',
  paymentPolicy: '9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin',
  gateway,
  amount: '404000000',
  recordId: 10,
  recipient: '4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T',
  payer: '7Q7NXQCMgTsCWGn4uee4EExWaSpgYMLZqPM12f3W1Zkz',
  tokenMint: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
})

function forkBeside(context: BenchContext, file: string): ChildProcess {
  const child = fork(new URL(file, import.meta.url), { execArgv: [] })
  context.teardown(() => child.kill())
  return child
}

interface Rig {
  database: TestDatabase
  store: Store
  worker: Awaited<ReturnType<typeof startService>>
  /** Adds webhooks, one for each URL. @returns their gateways */
  addWebhooks(urls: readonly string[]): Promise<string[]>
  /** Commits payments of the gateways, in turn, and enqueues their deliveries. */
  pay(gateways: readonly string[], count: number): Promise<void>
}

/** A worker with everything on that production has: breaker, caps, address check, stored answers. */
async function openRig(context: BenchContext): Promise<Rig> {
  const { servers } = context
  const environment = `bench-${randomBytes(3).toString('hex')}`
  const database = await createDatabase(context, { serverUrl: servers.databaseUrl })
  const store = openStore({ DATABASE_URL: database.url, poolSize: 8 })
  context.teardown(() => store.close())
  const queue = openQueue({ REDIS_URL: servers.redisUrl, ENVIRONMENT: environment })
  context.teardown(() => queue.close())
  await waitFor(() => queue.ping().then(() => true), { what: 'the queue' })
  const worker = await startService(
    context,
    'webhook-worker',
    {
      DATABASE_URL: database.url,
      REDIS_URL: servers.redisUrl,
      ENVIRONMENT: environment,
      WEBHOOK_ALLOW_PRIVATE_TARGETS: 'on',
      WEBHOOK_MAX_PER_SECOND: '100000',
      // The bench would have to read a line a delivery.
      LOG_LEVEL: 'warn',
      MANAGEMENT_HOST: '127.0.0.1',
    },
    { waitUntilReady: false },
  )
  return {
    database,
    store,
    worker,
    addWebhooks: async urls => {
      const gateways = urls.map(() => randomUUID())
      await store.prisma.webhook.createMany({
        data: urls.map((endpointUrl, index) => ({
          gateway: gateways[index]!,
          endpointUrl,
          secret: webhookSecretOf(randomBytes(32)),
        })),
      })
      return gateways
    },
    pay: async (gateways, count) => {
      const payments = Array.from({ length: count }, (_, n) => makePayment(gateways[n % gateways.length]!))
      for (let start = 0; start < count; start += 500) {
        const batch = payments.slice(start, start + 500)
        await queue.enqueueDeliveries(
          await store.prisma.$transaction(tx => insertDeliveries(tx, batch), PATIENT),
        )
      }
    },
  }
}

const countOpen = async (rig: Rig): Promise<number> => {
  const { rows } = await rig.database.pool.query<{ n: number }>(
    `select count(*)::int as n from deliveries where state in ('pending', 'waiting')`,
  )
  return rows[0]!.n
}

/** A backlog, worked off by one worker process, beside the bare loop. */
async function measureRate(context: BenchContext): Promise<Row> {
  const count = context.quick ? 500 : 10_000
  const receiver = forkBeside(context, './webhook-receiver.mjs')
  const [{ port }] = (await once(receiver, 'message')) as [{ port: number }]
  const url = `http://127.0.0.1:${port}/hook`
  const rig = await openRig(context)
  const gateways = await rig.addWebhooks(Array<string>(WEBHOOKS).fill(url))
  await rig.pay(gateways, WEBHOOKS)
  await waitFor(async () => (await countOpen(rig)) === 0, { what: 'the worker', timeoutMs: 60_000 })
  const loop = forkBeside(context, './undici-loop.mjs')
  const message = renderPaymentMessage(makePayment(gateways[0]!))
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'payment-tracking-webhooks/bench',
    ...signDelivery({ ...message, sentAt: 1_763_632_800 }, [webhookSecretOf(randomBytes(32))]),
  }
  const bare = async () => {
    loop.send({ url, count, concurrency: CONCURRENCY, headers, body: message.body })
    const [{ perSecond }] = (await once(loop, 'message')) as [{ perSecond: number }]
    return perSecond
  }
  const delivered = async () => {
    rig.worker.signal('SIGSTOP')
    await rig.pay(gateways, count)
    const startedAt = performance.now()
    rig.worker.signal('SIGCONT')
    await waitFor(async () => (await countOpen(rig)) === 0, {
      what: 'all deliveries',
      timeoutMs: 120_000,
      intervalMs: 20,
    })
    return (count / (performance.now() - startedAt)) * 1000
  }
  const { subject, limit } = await inTurns(context.quick ? 1 : 5, delivered, bare)
  return {
    subject: `deliveries of one worker, a backlog of ${count} to ${WEBHOOKS} webhooks`,
    unit: 'deliveries/s',
    largerIsBetter: true,
    measured: subject,
    limit: { name: 'a bare undici loop posting the same signed bytes', measured: limit },
    note: 'breaker, caps, address check and stored answers on; logs at warn',
  }
}

/** From the commit of the payment's transaction to the request at the receiver, at 100 payments a second. */
async function measureLatency(context: BenchContext): Promise<Row[]> {
  const seconds = context.quick ? 2 : 20
  const rig = await openRig(context)
  const receiver = await openReceiver(context)
  const gateways = await rig.addWebhooks(Array<string>(WEBHOOKS).fill(receiver.url))
  await rig.pay(gateways, WEBHOOKS)
  await receiver.waitForRequests(WEBHOOKS, { timeoutMs: 60_000 })
  receiver.requests.length = 0
  const committedAt = new Map<string, number>()
  const startedAt = performance.now()
  const count = seconds * 100
  const paid: Promise<void>[] = []
  for (let n = 0; n < count; n++) {
    await sleep(Math.max(0, startedAt + n * 10 - performance.now()))
    paid.push(rig.pay([gateways[n % WEBHOOKS]!], 1))
  }
  await Promise.all(paid)
  await receiver.waitForRequests(count, { timeoutMs: 60_000 })
  const { rows } = await rig.database.pool.query<{ message_id: string; created_at: Date }>(
    'select message_id, created_at from deliveries',
  )
  for (const row of rows) committedAt.set(row.message_id, row.created_at.getTime())
  const delays = receiver.requests.map(
    ({ headers, receivedAtMs }) => receivedAtMs - committedAt.get(String(headers['webhook-id']))!,
  )
  return [0.5, 0.99].map(share => ({
    subject: `payment written → first attempt arrives, 100 payments/s, p${share * 100}`,
    unit: 'ms',
    largerIsBetter: false,
    measured: measureOf([percentile(delays, share)]),
    note: 'the row’s own time, which is before the commit, to arrival at the receiver',
  }))
}

/** The p99 of healthy endpoints with 10 % hanging and 10 % refusing beside them, against the run without. */
async function measureIsolation(context: BenchContext): Promise<Row> {
  const seconds = context.quick ? 2 : 30
  const receiver = forkBeside(context, './webhook-receiver.mjs')
  const [{ port }] = (await once(receiver, 'message')) as [{ port: number }]
  const healthy = await openReceiver(context)
  const p99 = async (withBad: boolean): Promise<number> => {
    const rig = await openRig(context)
    const good = await rig.addWebhooks(Array<string>(40).fill(healthy.url))
    const bad = await rig.addWebhooks(
      withBad
        ? ['/hang', '/refuse'].flatMap(path => Array<string>(5).fill(`http://127.0.0.1:${port}${path}`))
        : [],
    )
    await rig.pay(good, good.length)
    await waitFor(async () => (await countOpen(rig)) === 0, { what: 'the worker', timeoutMs: 60_000 })
    healthy.requests.length = 0
    const all = [...good, ...bad]
    const startedAt = performance.now()
    const paid: Promise<void>[] = []
    for (let n = 0; n < seconds * 100; n++) {
      await sleep(Math.max(0, startedAt + n * 10 - performance.now()))
      paid.push(rig.pay([all[n % all.length]!], 1))
    }
    await Promise.all(paid)
    const { rows } = await waitFor(
      async () => {
        const answer = await rig.database.pool.query<{ message_id: string; created_at: Date }>(
          `select d.message_id, d.created_at from deliveries d join webhooks w on w.id = d.webhook_id
            where w.endpoint_url = $1`,
          [healthy.url],
        )
        return healthy.requests.length >= answer.rows.length - good.length ? answer : false
      },
      { what: 'the healthy ones', timeoutMs: 120_000 },
    )
    const committedAt = new Map(rows.map(row => [row.message_id, row.created_at.getTime()]))
    await rig.worker.stop('SIGKILL')
    return percentile(
      healthy.requests.map(
        ({ headers, receivedAtMs }) => receivedAtMs - committedAt.get(String(headers['webhook-id']))!,
      ),
      0.99,
    )
  }
  const { subject, limit } = await inTurns(
    context.quick ? 1 : 3,
    () => p99(true),
    () => p99(false),
  )
  return {
    subject: 'p99 of healthy endpoints beside 10 % hanging and 10 % refusing ones, 100 payments/s',
    unit: 'ms',
    largerIsBetter: false,
    measured: subject,
    limit: { name: 'the run without them', measured: limit },
  }
}

export const bench: Bench = {
  name: 'webhooks',
  about: 'delivery rows and jobs → signed requests, answers stored; one worker process',
  async run(context) {
    return [await measureRate(context), ...(await measureLatency(context)), await measureIsolation(context)]
  },
}
