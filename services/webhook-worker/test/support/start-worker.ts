// The common set-up of this service's tests: a database, a Redis, a worker process, a webhook and payments.
import { randomBytes, randomUUID } from 'node:crypto'
import { webhookSecretOf } from '@payment-tracking/domain'
import { openQueue } from '@payment-tracking/queue'
import { insertDeliveries } from '@payment-tracking/store/messages'
import { openStore } from '@payment-tracking/store/core'
import {
  createDatabase,
  makeCommittedPayment,
  startService,
  useRedis,
  waitFor,
  type StartedService,
  type TestContext,
} from '@payment-tracking/testkit'

export interface DeliveryRow {
  id: string
  webhook_id: string
  state: string
  attempts_made: number
  last_error: string | null
  defer_reason: string | null
}

/** @param servers separate servers that the test may kill */
export async function openRig(
  t: TestContext,
  servers?: { databaseUrl?: string; redisUrl: string; isCluster?: boolean },
) {
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
  const env: Record<string, string> = {
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
  /** The deliveries of one gateway, or of all. */
  const deliveries = async (gateway?: string): Promise<DeliveryRow[]> => {
    const { rows } = await database.pool.query<DeliveryRow>(
      `select d.id, d.webhook_id, d.state, d.attempts_made, d.last_error, d.defer_reason
         from deliveries d join webhooks w on w.id = d.webhook_id
        where $1::text is null or w.gateway = $1 order by d.id`,
      [gateway ?? null],
    )
    return rows
  }
  return {
    database,
    redis,
    store,
    queue,
    env,
    startWorker: (over: Record<string, string> = {}): Promise<StartedService> =>
      startService(t, 'webhook-worker', { ...env, ...over }),
    async addWebhook(endpointUrl: string, gateway: string = randomUUID()) {
      const secret = webhookSecretOf(randomBytes(32))
      const { rows } = await database.pool.query<{ id: string }>(
        'insert into webhooks (gateway, endpoint_url, secret) values ($1, $2, $3) returning id',
        [gateway, endpointUrl, secret],
      )
      return { id: BigInt(rows[0]!.id), gateway, secret }
    },
    /** Stores deliveries of the gateway's new payments as ingest does, and enqueues them unless `enqueue` is false. */
    async pay(gateway: string, count = 1, { enqueue = true } = {}) {
      const payments = Array.from({ length: count }, () => makeCommittedPayment(gateway))
      const refs = await insertDeliveries(store, payments)
      if (enqueue) await queue.enqueueDeliveries(refs)
      return refs
    },
    deliveries,
    /** The attempt rows of a gateway's deliveries, in order. */
    async attempts(gateway: string) {
      const { rows } = await database.pool.query<Record<string, unknown>>(
        `select a.* from delivery_attempts a join deliveries d on d.id = a.delivery_id
           join webhooks w on w.id = d.webhook_id where w.gateway = $1 order by a.started_at, a.delivery_id, a.number`,
        [gateway],
      )
      return rows
    },
    /** Waits until exactly this many deliveries are in each state. */
    async waitForStates(
      states: Record<string, number>,
      { gateway, timeoutMs = 30_000 }: { gateway?: string; timeoutMs?: number } = {},
    ) {
      let seen: Record<string, number> = {}
      const holds = async () => {
        seen = {}
        for (const { state } of await deliveries(gateway)) seen[state] = (seen[state] ?? 0) + 1
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
}

export type Rig = Awaited<ReturnType<typeof openRig>>
