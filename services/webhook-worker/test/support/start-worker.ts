// The common set-up of this service's tests: a database, a Redis, a worker process, a webhook and payments.
import { randomBytes, randomUUID } from 'node:crypto'
import type { DeliveryRef } from '@payment-tracking/contracts'
import { webhookSecretOf } from '@payment-tracking/domain'
import { openQueue, type DeliveryQueue } from '@payment-tracking/queue'
import { insertDeliveries } from '@payment-tracking/store/messages'
import { openStore, type Store } from '@payment-tracking/store/core'
import {
  createDatabase,
  makeCommittedPayment,
  startService,
  useRedis,
  waitFor,
  type StartedService,
  type TestContext,
  type TestDatabase,
  type TestRedis,
} from '@payment-tracking/testkit'

export interface SeededWebhook {
  id: bigint
  gateway: string
  secret: string
}

export interface DeliveryRow {
  id: string
  webhook_id: string
  state: string
  attempts_made: number
  last_error: string | null
  defer_reason: string | null
}

export interface Rig {
  database: TestDatabase
  redis: TestRedis
  store: Store
  queue: DeliveryQueue
  env: Record<string, string>
  startWorker(env?: Record<string, string>): Promise<StartedService>
  addWebhook(endpointUrl: string, gateway?: string): Promise<SeededWebhook>
  /** Stores deliveries of the gateway's new payments as ingest does, and enqueues them unless `enqueue` is false. */
  pay(gateway: string, count?: number, options?: { enqueue?: boolean }): Promise<DeliveryRef[]>
  /** The deliveries of one gateway, or of all. */
  deliveries(gateway?: string): Promise<DeliveryRow[]>
  /** The attempt rows of a gateway's deliveries, in order. */
  attempts(gateway: string): Promise<Record<string, unknown>[]>
  /** Waits until exactly this many deliveries are in each state. */
  waitForStates(
    states: Record<string, number>,
    options?: { gateway?: string; timeoutMs?: number },
  ): Promise<void>
}

/** @param servers separate servers that the test may kill */
export async function openRig(
  t: TestContext,
  servers?: { databaseUrl?: string; redisUrl: string; isCluster?: boolean },
): Promise<Rig> {
  const database = await createDatabase(t, servers?.databaseUrl ? { serverUrl: servers.databaseUrl } : {})
  const isCluster = servers?.isCluster === true
  const redis = servers
    ? { url: servers.redisUrl, prefix: 't', client: undefined as never }
    : await useRedis(t)
  const store = openStore({ DATABASE_URL: database.url, poolSize: 2 })
  t.teardown(() => store.close())
  const queue = openQueue({ REDIS_URL: redis.url, REDIS_CLUSTER: isCluster, ENVIRONMENT: 'test' })
  t.teardown(() => queue.close())
  await waitFor(() => queue.ping().then(() => true), { what: 'the queue' })
  const env = {
    DATABASE_URL: database.url,
    REDIS_URL: redis.url,
    ...(isCluster && { REDIS_CLUSTER: 'on' }),
    ENVIRONMENT: 'test',
    WEBHOOK_ALLOW_PRIVATE_TARGETS: 'on',
    WEBHOOK_BACKOFF_MS: '50',
    // Longer than a busy machine takes to answer: what is no answer opens breakers.
    WEBHOOK_TIMEOUT_MS: '5000',
    'webhook-worker.claimMarginMs': '500',
    'webhook-worker.overdueMs': '500',
  }
  const rig: Rig = {
    database,
    redis,
    store,
    queue,
    env,
    startWorker: (over = {}) => startService(t, 'webhook-worker', { ...env, ...over }),
    addWebhook: async (endpointUrl, gateway = randomUUID()) => {
      const secret = webhookSecretOf(randomBytes(32))
      const { rows } = await database.pool.query<{ id: string }>(
        'insert into webhooks (gateway, endpoint_url, secret) values ($1, $2, $3) returning id',
        [gateway, endpointUrl, secret],
      )
      return { id: BigInt(rows[0]!.id), gateway, secret }
    },
    pay: async (gateway, count = 1, { enqueue = true } = {}) => {
      const payments = Array.from({ length: count }, () => makeCommittedPayment(gateway))
      const refs = await insertDeliveries(store, payments)
      if (enqueue) await queue.enqueueDeliveries(refs)
      return refs
    },
    deliveries: async gateway => {
      const { rows } = await database.pool.query<DeliveryRow>(
        `select d.id, d.webhook_id, d.state, d.attempts_made, d.last_error, d.defer_reason
           from deliveries d join webhooks w on w.id = d.webhook_id
          where $1::text is null or w.gateway = $1 order by d.id`,
        [gateway ?? null],
      )
      return rows
    },
    attempts: async gateway => {
      const { rows } = await database.pool.query<Record<string, unknown>>(
        `select a.* from delivery_attempts a join deliveries d on d.id = a.delivery_id
           join webhooks w on w.id = d.webhook_id where w.gateway = $1 order by a.id`,
        [gateway],
      )
      return rows
    },
    waitForStates: async (states, { gateway, timeoutMs = 30_000 } = {}) => {
      let seen: Record<string, number> = {}
      const holds = async () => {
        seen = {}
        for (const { state } of await rig.deliveries(gateway)) seen[state] = (seen[state] ?? 0) + 1
        const names = new Set([...Object.keys(states), ...Object.keys(seen)])
        return [...names].every(name => (states[name] ?? 0) === (seen[name] ?? 0))
      }
      await waitFor(holds, { what: `deliveries ${JSON.stringify(states)}`, timeoutMs }).catch(
        (error: unknown) => {
          throw new Error(`deliveries are ${JSON.stringify(seen)}, not ${JSON.stringify(states)}`, {
            cause: error,
          })
        },
      )
    },
  }
  return rig
}
