import { setTimeout as sleep } from 'node:timers/promises'
import type { DeliveryQueue, DeliveryWorker } from '@payment-tracking/queue'
import type { Logger } from '@payment-tracking/runtime'
import {
  deactivateWebhooks,
  findWebhooksOfDeletedGateways,
  readOldestAwaitingFactsSeconds,
  readOldestUndeliveredSeconds,
  recoverFailed,
  removeOldDeliveries,
  revokeKeysOfDeletedGateways,
  tellDuePolicies,
  tellFailingWebhooks,
  type Store,
} from '@payment-tracking/store'
import type { WebhookWorkerConfig } from '../config.js'
import type { DeliveryMetrics } from '../deliveries/delivery-metrics.js'
import type { EndpointLimiter } from '../endpoints/endpoint-limiter.js'
import { sweepOnce } from './sweeper.js'
import type { MaintenanceTask } from './maintenance.js'
import { buildWatchdog } from './watchdog.js'

export interface MaintenanceParts {
  config: WebhookWorkerConfig
  store: Store
  queue: DeliveryQueue
  worker: DeliveryWorker
  limiter: EndpointLimiter
  metrics: DeliveryMetrics
  log: Logger
  /** ends the process, so that the orchestrator restarts the worker */
  fail: (error: Error) => void
}

/** Ended deliveries that one statement removes, so that no other statement waits long. */
const REMOVED_AT_ONCE = 5_000
/** How long after its failure a delivery is sent again once its endpoint answers. */
const RECOVERED_HOURS = 72
const RECOVERED_AT_ONCE = 1_000
/** Policies whose dates one transaction reports. */
const TOLD_AT_ONCE = 500
/** A Postgres that takes longer to answer counts as away. */
const ANSWER_WITHIN_MS = 1_000

const isAnswering = (store: Store): Promise<boolean> =>
  Promise.race([
    store.ping().then(
      () => true,
      () => false,
    ),
    sleep(ANSWER_WITHIN_MS, false, { ref: false }),
  ])

/**
 * The tasks that a worker runs beside its jobs. All workers run all tasks; the statements share the rows among the
 * workers.
 */
export function buildMaintenanceTasks(parts: MaintenanceParts): MaintenanceTask[] {
  const { config, store, queue, worker, limiter, metrics, log } = parts
  const lookEveryMs = Math.min(2_000, config.WEBHOOK_WATCHDOG_MS / 4)
  const watchdog = buildWatchdog({
    stuckLooks: Math.ceil(config.WEBHOOK_WATCHDOG_MS / lookEveryMs),
    concurrency: config.WEBHOOK_CONCURRENCY,
  })
  return [
    {
      name: 'sweep',
      everyMs: 1_000,
      run: async () => {
        const limits = { overdueMs: config.WEBHOOK_OVERDUE_MS, againMs: 6 * config.WEBHOOK_OVERDUE_MS }
        const swept = await sweepOnce({ store, queue }, limits)
        metrics.swept.inc(swept)
        if (swept > 0) log.info({ deliveries: swept }, 'deliveries.swept')
      },
    },
    {
      name: 'watchdog',
      everyMs: lookEveryMs,
      run: async () => {
        const waiting = await queue.countWaiting().catch((error: unknown) => {
          watchdog.forget()
          throw error
        })
        const progress = worker.progress()
        metrics.waiting.set(waiting)
        metrics.active.set(progress.active)
        const postgresAnswers = waiting > 0 && (await isAnswering(store))
        if (watchdog.look({ waiting, progress, postgresAnswers }))
          parts.fail(
            new Error(
              `${waiting} jobs wait and no delivery was begun for ${config.WEBHOOK_WATCHDOG_MS} ms: ` +
                'the place in the queue is lost, a restart mends it',
            ),
          )
      },
    },
    {
      name: 'age',
      everyMs: 5_000,
      run: async () => {
        metrics.oldest.set(await readOldestUndeliveredSeconds(store))
        metrics.oldestAwaitingFacts.set(await readOldestAwaitingFactsSeconds(store))
        metrics.breakersOpen.set(limiter.countOpen())
        limiter.forgetIdle()
      },
    },
    {
      name: 'due-dates',
      everyMs: config.DUE_CHECK_INTERVAL_MS,
      run: async () => {
        const limits = {
          soonSeconds: config.DUE_SOON_SECONDS,
          graceSeconds: config.OVERDUE_GRACE_SECONDS,
          limit: TOLD_AT_ONCE,
        }
        for (let told = limits.limit; told === limits.limit;) {
          const found = await tellDuePolicies(store, limits)
          told = found.told
          // While Redis is away, the sweeper enqueues these deliveries.
          if (found.deliveries.length > 0) await queue.enqueueDeliveries(found.deliveries).catch(() => {})
          if (told > 0) log.info({ policies: told }, 'due-dates.told')
        }
      },
    },
    {
      name: 'failing-webhooks',
      everyMs: 5_000,
      run: async () => {
        const notices = await tellFailingWebhooks(store)
        if (notices.length > 0) log.info({ deliveries: notices.length }, 'failing-webhooks.told')
        await queue.enqueueDeliveries(notices).catch(() => {})
      },
    },
    {
      name: 'recover',
      everyMs: 5_000,
      run: async () => {
        const recovered = await recoverFailed(store, {
          hours: RECOVERED_HOURS,
          restMs: config.WEBHOOK_BACKOFF_MS,
          limit: RECOVERED_AT_ONCE,
        })
        if (recovered.length > 0) log.info({ deliveries: recovered.length }, 'deliveries.recovered')
        await queue.enqueueDeliveries(recovered).catch(() => {})
      },
    },
    {
      name: 'deleted-gateways',
      everyMs: 5_000,
      run: async () => {
        const keys = await revokeKeysOfDeletedGateways(store)
        if (keys > 0) log.warn({ keys }, 'api-keys.revoked')
        const webhooks = await findWebhooksOfDeletedGateways(store)
        if (webhooks.length === 0) return
        for (const id of await deactivateWebhooks(store, webhooks, 'gateway-deleted')) {
          metrics.deactivated.inc({ reason: 'gateway-deleted' })
          log.warn({ webhookId: id.toString(), reason: 'gateway-deleted' }, 'webhook.deactivated')
        }
      },
    },
    {
      name: 'retention',
      everyMs: 60_000,
      run: async () => {
        const limits = { days: config.WEBHOOK_RETENTION_DAYS, limit: REMOVED_AT_ONCE }
        metrics.removed.inc(await removeOldDeliveries(store, limits))
      },
    },
  ]
}
