import { setTimeout as sleep } from 'node:timers/promises'
import { DELIVERY_QUEUE_NAMES, DELIVERY_QUEUES } from '@payment-tracking/contracts'
import { asBulk, type DeliveryQueue, type DeliveryWorker } from '@payment-tracking/queue'
import type { Logger } from '@payment-tracking/runtime'
import {
  deactivateWebhooks,
  doWebhookWork,
  findWebhooksOfDeletedGateways,
  recoverFailed,
  removeOldDeliveries,
} from '@payment-tracking/store/deliveries'
import {
  expireExpectations,
  notifyDuePolicies,
  notifyFailures,
  type CachedAsks,
} from '@payment-tracking/store/messages'
import {
  pageByPage,
  readOldestAwaitingDetailsSeconds,
  readOldestUndeliveredSeconds,
  revokeKeysOfDeletedGateways,
  WEBHOOK_KINDS,
  WorkOrder,
  type Store,
} from '@payment-tracking/store/core'
import type { WebhookWorkerConfig } from '../config.js'
import type { DeliveryMetrics } from '../deliveries/delivery-metrics.js'
import type { EndpointLimiter } from '../endpoints/permits.js'
import type { WorkerTunables } from '../tunables.js'
import { BACKLOG, buildSweeper } from './sweeper.js'
import type { MaintenanceTask } from './maintenance.js'
import { buildRiskTask } from './risk-task.js'
import { enqueuePages } from './enqueue-pages.js'
import { buildWatchdog } from './watchdog.js'

export interface MaintenanceParts {
  config: WebhookWorkerConfig
  tunables: WorkerTunables
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
const REMOVED_AT_ONCE = 500
const RECOVERED_AT_ONCE = 500
/** Policies whose dates one transaction reports. */
const NOTIFIED_AT_ONCE = 200
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
 * The tasks of workers beside their jobs. One worker leads and runs those that are not its own; while the lead changes two may, and
 * the statements share the rows between them.
 */
export function buildMaintenanceTasks(parts: MaintenanceParts): MaintenanceTask[] {
  const { config, tunables, store, queue, worker, limiter, metrics, log } = parts
  const checkEveryMs = Math.min(2_000, tunables.watchdogMs / 4)
  const stuckChecks = Math.ceil(tunables.watchdogMs / checkEveryMs)
  const watchdogs = { first: buildWatchdog(stuckChecks), bulk: buildWatchdog(stuckChecks) }
  const sweep = buildSweeper(
    { store, queue },
    { overdueMs: tunables.overdueMs, againMs: 6 * tunables.overdueMs },
  )
  // What this process knows of the gateways that ask for dates.
  const askedForDates: CachedAsks = new Map()
  const order = new WorkOrder()
  // Where the looks for what belongs to deleted gateways go on.
  const lookedAt = { keys: 0n, webhooks: 0n }
  return [
    {
      name: 'sweep',
      everyMs: 1_000,
      isOwn: true,
      run: async () => {
        const swept = await sweep()
        metrics.swept.inc(swept)
        if (swept > 0) log.info({ deliveries: swept }, 'deliveries.swept')
      },
    },
    {
      name: 'watchdog',
      everyMs: checkEveryMs,
      isOwn: true,
      run: async () => {
        const waiting = await queue.countWaiting().catch((error: unknown) => {
          for (const name of DELIVERY_QUEUE_NAMES) watchdogs[name].forget()
          throw error
        })
        const progress = worker.progress()
        const all = waiting.first + waiting.bulk
        metrics.waiting.set(all)
        metrics.active.set(progress.first.active + progress.bulk.active)
        const postgresAnswers = all > 0 && (await isAnswering(store))
        for (const name of DELIVERY_QUEUE_NAMES)
          if (watchdogs[name].check({ waiting: waiting[name], progress: progress[name], postgresAnswers }))
            parts.fail(
              new Error(
                `${waiting[name]} jobs of ${DELIVERY_QUEUES[name]} wait and no delivery was begun for ` +
                  `${tunables.watchdogMs} ms: the place in the queue is lost, a restart mends it`,
              ),
            )
      },
    },
    {
      name: 'age',
      everyMs: 5_000,
      isOwn: true,
      run: async () => {
        metrics.oldest.set(await readOldestUndeliveredSeconds(store))
        metrics.oldestAwaitingDetails.set(await readOldestAwaitingDetailsSeconds(store))
        metrics.breakersOpen.set(limiter.countOpen())
        limiter.forgetIdle()
      },
    },
    {
      name: 'due-dates',
      everyMs: tunables.dueCheckEveryMs,
      run: async stop => {
        const notified = await notifyDuePolicies(store, {
          soonSeconds: config.DUE_SOON_SECONDS,
          graceSeconds: config.OVERDUE_GRACE_SECONDS,
          programId: config.PROGRAM_ID,
          limit: NOTIFIED_AT_ONCE,
          cached: askedForDates,
          onPage: enqueuePages(queue, stop),
        })
        if (notified > 0) log.info({ policies: notified }, 'due-dates.notified')
      },
    },
    buildRiskTask(parts),
    {
      name: 'expectations',
      everyMs: 1_000,
      run: async stop => {
        const expired = await expireExpectations(store, {
          limit: NOTIFIED_AT_ONCE,
          onPage: enqueuePages(queue, stop),
        })
        if (expired > 0) log.info({ expectations: expired }, 'expectations.expired')
      },
    },
    {
      name: 'webhook-work',
      everyMs: 500,
      run: async stop => {
        await pageByPage(stop, async () => {
          const bulk = await queue.countWaiting().then(
            waiting => waiting.bulk,
            () => Infinity,
          )
          const isFull = bulk > BACKLOG
          const kinds = isFull ? (['cancel'] as const) : WEBHOOK_KINDS
          const page = await doWebhookWork(store, { kinds, order })
          if (page === null) return false
          metrics.workRows.inc({ kind: page.kind }, page.handled)
          // While Redis is away, the sweeper enqueues these deliveries.
          if (page.deliveries.length > 0)
            await queue.promoteDeliveries(asBulk(page.deliveries)).catch(() => {})
          if (!page.hasMore && page.handled > 0)
            log.info({ webhookId: page.webhookId.toString(), kind: page.kind }, 'webhook-work.done')
          return true
        })
      },
    },
    {
      name: 'failing-webhooks',
      everyMs: 5_000,
      run: async () => {
        const notices = await notifyFailures(store)
        if (notices.length > 0) log.info({ deliveries: notices.length }, 'failing-webhooks.notified')
        await queue.enqueueDeliveries(notices).catch(() => {})
      },
    },
    {
      name: 'recover',
      everyMs: 5_000,
      run: async () => {
        const recovered = await recoverFailed(store, {
          backoffMs: config.WEBHOOK_BACKOFF_MS,
          limit: RECOVERED_AT_ONCE,
        })
        if (recovered.length > 0) log.info({ deliveries: recovered.length }, 'deliveries.recovered')
        await queue.enqueueDeliveries(asBulk(recovered)).catch(() => {})
      },
    },
    {
      name: 'deleted-gateways',
      everyMs: 5_000,
      run: async () => {
        const keys = await revokeKeysOfDeletedGateways(store, lookedAt.keys)
        lookedAt.keys = keys.next
        if (keys.revoked > 0) log.warn({ keys: keys.revoked }, 'api-keys.revoked')
        const webhooks = await findWebhooksOfDeletedGateways(store, lookedAt.webhooks)
        lookedAt.webhooks = webhooks.next
        for (const id of await deactivateWebhooks(store, webhooks.ids, 'gateway-deleted')) {
          metrics.deactivated.inc({ reason: 'gateway-deleted' })
          log.warn({ webhookId: id.toString(), reason: 'gateway-deleted' }, 'webhook.deactivated')
        }
      },
    },
    {
      name: 'retention',
      everyMs: 60_000,
      run: async stop => {
        const limits = { days: config.WEBHOOK_RETENTION_DAYS, limit: REMOVED_AT_ONCE }
        await pageByPage(stop, async () => {
          const removed = await removeOldDeliveries(store, limits)
          metrics.removed.inc(removed)
          return removed === limits.limit
        })
      },
    },
  ]
}
