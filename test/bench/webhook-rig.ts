// A webhook worker with everything on that production has, its database and its queue, for the webhook benches.
import { fork, type ChildProcess } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import type { DeliveryRef } from '@payment-tracking/contracts'
import { openQueue } from '@payment-tracking/queue'
import { renderPaymentMessage, signDelivery, webhookSecretOf } from '@payment-tracking/domain'
import { createWebhook } from '@payment-tracking/store/admin'
import { insertDeliveries } from '@payment-tracking/store/messages'
import { openStore, type Store } from '@payment-tracking/store/core'
import { createDatabase, startService, waitFor, type TestDatabase } from '@payment-tracking/testkit'
import type { BenchContext } from './bench.js'
import { paymentFor } from './socket-load.js'

const makePayment = (gateway: string) => ({
  ...paymentFor(`order-${randomBytes(4).toString('hex')}`, 1),
  eventId: randomUUID(),
  signature: randomBytes(64).toString('base64'),
  gateway,
})

/** Runs a file of this folder in a process of its own, which ends with the bench. */
function forkBeside(context: BenchContext, file: string): ChildProcess {
  const child = fork(new URL(file, import.meta.url), { execArgv: [] })
  context.teardown(() => child.kill())
  return child
}

export interface Rig {
  database: TestDatabase
  store: Store
  worker: Awaited<ReturnType<typeof startService>>
  /** Adds webhooks, one for each URL. @returns their gateways */
  addWebhooks(urls: readonly string[]): Promise<string[]>
  /** Gives deliveries that were committed their jobs. */
  enqueue(deliveries: readonly DeliveryRef[]): Promise<void>
  /** Commits payments of the gateways, in turn, and enqueues their deliveries. */
  pay(gateways: readonly string[], count: number): Promise<void>
}

/** A worker with everything on that production has: breaker, caps, address check, stored answers. */
export async function openRig(context: BenchContext): Promise<Rig> {
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
      for (const [index, endpointUrl] of urls.entries()) {
        await createWebhook(store, { gateway: gateways[index]!, endpointUrl, active: true })
      }
      return gateways
    },
    enqueue: async deliveries => {
      await queue.enqueueDeliveries(deliveries)
    },
    pay: async (gateways, count) => {
      const payments = Array.from({ length: count }, (_, n) => makePayment(gateways[n % gateways.length]!))
      for (let start = 0; start < count; start += 500) {
        const batch = payments.slice(start, start + 500)
        await queue.enqueueDeliveries(await insertDeliveries(store, batch))
      }
    },
  }
}

/** Deliveries that have not ended. */
export const countOpen = async (rig: Rig): Promise<number> => {
  const { rows } = await rig.database.pool.query<{ n: number }>(
    `select count(*)::int as n from deliveries where state in ('pending', 'waiting')`,
  )
  return rows[0]!.n
}

/**
 * Starts one receiver with an address for each endpoint. So the worker gives each endpoint its own connections, breaker and
 * caps.
 */
export async function openEndpoints(context: BenchContext, count: number): Promise<string[]> {
  const receiver = forkBeside(context, './webhook-receiver.mjs')
  const [{ port }] = (await once(receiver, 'message')) as [{ port: number }]
  const urlOf = (n: number) => `http://127.1.${Math.floor(n / 250)}.${(n % 250) + 1}:${port}/hook`
  return Array.from({ length: count }, (_, n) => urlOf(n))
}

/** Jobs in hand: the worker's own default. */
const CONCURRENCY = 512

/**
 * The limit that the worker is compared with: a worker of BullMQ in a process of its own, which posts one signed message again and
 * again.
 * @returns the process's id, and `post`, which works off `count` jobs
 */
export function openBareWorker(context: BenchContext, urls: readonly string[], count: number) {
  const message = renderPaymentMessage(makePayment('9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin'))
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'payment-tracking-webhooks/bench',
    ...signDelivery({ ...message, sentAt: 1_763_632_800 }, [webhookSecretOf(randomBytes(32))]),
  }
  const bare = forkBeside(context, './bare-worker.mjs')
  const { redisUrl } = context.servers
  const name = `bare-${randomBytes(3).toString('hex')}`
  const post = async (): Promise<void> => {
    bare.send({ redisUrl, name, urls, count, concurrency: CONCURRENCY, headers, body: message.body })
    await once(bare, 'message')
  }
  return { pid: bare.pid!, post }
}

/**
 * Starts a worker and warms it up.
 * @returns the rig, and `deliver`, which gives the worker a backlog of `count` deliveries and resolves, when the last has
 *   ended
 */
export async function openBacklog(context: BenchContext, urls: readonly string[], count: number) {
  const rig = await openRig(context)
  const gateways = await rig.addWebhooks(urls)
  await rig.pay(gateways, Math.min(count, urls.length))
  await waitFor(async () => (await countOpen(rig)) === 0, { what: 'the worker', timeoutMs: 60_000 })
  const deliver = async (): Promise<void> => {
    rig.worker.signal('SIGSTOP')
    await rig.pay(gateways, count)
    rig.worker.signal('SIGCONT')
    await waitFor(async () => (await countOpen(rig)) === 0, {
      what: 'all deliveries',
      timeoutMs: 120_000,
      intervalMs: 20,
    })
  }
  return { rig, deliver }
}
