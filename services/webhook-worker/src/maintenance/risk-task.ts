// Tells webhooks of due payments at risk, as ingest knows them from the nodes.
import { putBehind, type DeliveryQueue } from '@payment-tracking/queue'
import type { Logger } from '@payment-tracking/runtime'
import { tellRisks, type Store } from '@payment-tracking/store'
import type { MaintenanceTask } from './maintenance.js'

/** Policies whose risks one transaction tells. */
const TOLD_AT_ONCE = 200

interface RiskParts {
  config: { PROGRAM_ID: string }
  tunables: { riskCheckEveryMs: number }
  store: Store
  queue: DeliveryQueue
  log: Logger
  restAfter: (startedAt: number) => Promise<void>
}

export const buildRiskTask = ({
  config,
  tunables,
  store,
  queue,
  log,
  restAfter,
}: RiskParts): MaintenanceTask => ({
  name: 'payment-risks',
  everyMs: tunables.riskCheckEveryMs,
  run: async stop => {
    let startedAt = performance.now()
    const told = await tellRisks(store, {
      programId: config.PROGRAM_ID,
      limit: TOLD_AT_ONCE,
      onPage: async ({ deliveries }) => {
        // While Redis is away, the sweeper enqueues these deliveries.
        if (deliveries.length > 0) await queue.enqueueDeliveries(putBehind(deliveries)).catch(() => {})
        await restAfter(startedAt)
        startedAt = performance.now()
        return !stop.aborted
      },
    })
    if (told > 0) log.info({ risks: told }, 'payment-risks.told')
  },
})
