// Builds the parts of a worker. Building starts nothing.
import { bodyInFormat, readTokens } from '@payment-tracking/domain'
import { openQueue } from '@payment-tracking/queue'
import { openDeliveryWorker } from '@payment-tracking/queue/worker'
import { openRedis } from '@payment-tracking/redis'
import {
  measurePool,
  type ServiceContext,
  type Logger,
  type Tracing,
  watchClock,
} from '@payment-tracking/runtime'
import { checkRedis } from '@payment-tracking/runtime/redis'
import {
  Lead,
  measureClockSkew,
  openStore,
  refuseOtherSessions,
  reportWhileRunning,
} from '@payment-tracking/store/core'
import type { WebhookWorkerConfig } from './config.js'
import { buildDeliverer, chosenRate } from './deliveries/deliver.js'
import { buildDeliveryMetrics } from './deliveries/delivery-metrics.js'
import { buildDeliveryRows } from './deliveries/delivery-rows.js'
import { buildChosenRates } from './endpoints/chosen-rates.js'
import { buildEndpointLimiter } from './endpoints/endpoint-limiter.js'
import { openConnections } from './requests/connections.js'
import { openEgressProxy } from './requests/egress-proxy.js'
import { openDeadlines } from './requests/deadlines.js'
import { buildNameResolver } from './requests/name-resolver.js'
import { sendDelivery } from './requests/send-delivery.js'
import { traced } from './requests/traced.js'
import { buildMaintenanceTasks } from './maintenance/maintenance-tasks.js'
import { buildMaintenance } from './maintenance/maintenance.js'
import type { WorkerTunables } from './tunables.js'
import { VERSION } from './version.js'

/** Reserved at the end of the stop deadline to write the results of cancelled requests. */
const STOP_MARGIN_MS = 3_000

interface WorkerParts {
  config: WebhookWorkerConfig
  tunables: WorkerTunables
  log: Logger
  tracing: Tracing | undefined
}

export async function buildWebhookWorker(
  context: ServiceContext,
  { config, tunables, log, tracing }: WorkerParts,
): Promise<void> {
  await checkRedis(config)
  if (config.WEBHOOK_ALLOW_PRIVATE_TARGETS)
    log.warn('WEBHOOK_ALLOW_PRIVATE_TARGETS is on: gateways can reach private networks through this worker')
  const onError = (err: Error) => log.warn({ err }, 'queue.error')
  const store = await context.own('store', () =>
    openStore({
      ...config,
      poolSize: config.DATABASE_POOL_SIZE,
      // Without a limit, claims would wait for a server that vanished in a failover, and every free slot with them.
      statementTimeoutMs: tunables.statementTimeoutMs,
      applicationName: 'webhook-worker',
      keepToIndexes: true,
    }),
  )
  const queue = await context.own('queue', () =>
    openQueue({ ...config, onError, onUnsupported: error => context.fail(error) }),
  )
  const connections = await context.own('connections', () =>
    openConnections({
      timeoutMs: config.WEBHOOK_TIMEOUT_MS,
      ...(config.WEBHOOK_PROXY_URL === undefined
        ? {}
        : {
            proxy: openEgressProxy({
              url: config.WEBHOOK_PROXY_URL,
              except: config.WEBHOOK_NO_PROXY,
              timeoutMs: config.WEBHOOK_TIMEOUT_MS,
            }),
          }),
    }),
  )
  const metrics = buildDeliveryMetrics(context.metrics)
  const redis = await context.own('redis', () =>
    openRedis({ ...config, connectionName: 'webhook-worker', onError }),
  )
  const rows = buildDeliveryRows({
    store,
    queue,
    leaseMs: config.WEBHOOK_TIMEOUT_MS + tunables.claimMarginMs,
    metrics,
    log,
  })
  const limiter = buildEndpointLimiter(
    {
      maxInFlight: config.WEBHOOK_MAX_IN_FLIGHT,
      maxPerSecond: config.WEBHOOK_MAX_PER_SECOND,
      maxQueued: config.WEBHOOK_CONCURRENCY,
    },
    { now: () => performance.now(), chance: Math.random },
    buildChosenRates(redis),
    async webhookId => chosenRate(await rows.readEndpoint(webhookId)),
    (webhookId, most) => rows.recall(webhookId, most),
  )
  redis.listenToEndpoints(webhookIds => webhookIds && limiter.forget(webhookIds))
  const deadlines = openDeadlines(config.WEBHOOK_TIMEOUT_MS)
  const sendOptions = {
    allowPrivateTargets: config.WEBHOOK_ALLOW_PRIVATE_TARGETS,
    userAgent: `payment-tracking-webhooks/${VERSION}`,
    connections,
    resolve: buildNameResolver({ timeoutMs: config.WEBHOOK_TIMEOUT_MS }),
    deadlines,
  }
  const tokens = readTokens(config.TOKENS)
  const send = traced(tracing, (delivery, mayBegin, traceParent) => {
    const body = bodyInFormat(delivery, delivery.format, tokens)
    return sendDelivery({ ...delivery, body }, sendOptions, mayBegin, traceParent)
  })
  const worker = await context.own('worker', () =>
    openDeliveryWorker({
      ...config,
      concurrency: config.WEBHOOK_CONCURRENCY,
      kept: { completed: tunables.completedJobsKept, failed: tunables.failedJobsKept },
      onError,
      process: buildDeliverer({
        rows,
        limiter,
        send,
        backoffMs: config.WEBHOOK_BACKOFF_MS,
        backoffFactor: config.WEBHOOK_BACKOFF_FACTOR,
        metrics,
        log,
        chance: Math.random,
      }),
    }),
  )
  // The worker is connected to Redis; the tasks' own connection follows a moment later.
  await queue.connected()
  measurePool(context.metrics, () => store.poolUse())
  await watchClock(context, () => measureClockSkew(store))
  await refuseOtherSessions(store)
  const lead = new Lead()
  reportWhileRunning(context, store, {
    service: 'webhook-worker',
    log,
    work: 'delivery_attempts_total',
    lead,
  })
  context.probe('postgres', () => store.ping())
  context.probe('redis', () => queue.ping())

  context.intake('deliveries', {
    start: () => worker.start(),
    stop: async () => {
      const timer = setTimeout(() => deadlines.stop(), Math.max(0, config.STOP_DEADLINE_MS - STOP_MARGIN_MS))
      await worker.stop()
      clearTimeout(timer)
    },
  })

  const fail = (error: Error) => context.fail(error)
  context.intake(
    'maintenance',
    buildMaintenance(
      buildMaintenanceTasks({ config, tunables, store, queue, worker, limiter, metrics, log, fail }),
      lead,
      log,
    ),
  )
}
