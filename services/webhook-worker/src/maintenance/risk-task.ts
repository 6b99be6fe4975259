// Notifies webhooks of due payments at risk, as ingest knows them from the nodes.
import type { DeliveryQueue } from '@payment-tracking/queue'
import type { Logger } from '@payment-tracking/runtime'
import { notifyRisks } from '@payment-tracking/store/messages'
import { type Store } from '@payment-tracking/store/core'
import type { MaintenanceTask } from './maintenance.js'
import { enqueuePages } from './enqueue-pages.js'

/** Policies whose risks one transaction notifies of. */
const NOTIFIED_AT_ONCE = 200

interface RiskParts {
  config: { PROGRAM_ID: string }
  tunables: { riskCheckEveryMs: number }
  store: Store
  queue: DeliveryQueue
  log: Logger
}

export const buildRiskTask = ({ config, tunables, store, queue, log }: RiskParts): MaintenanceTask => ({
  name: 'payment-risks',
  everyMs: tunables.riskCheckEveryMs,
  run: async stop => {
    const notified = await notifyRisks(store, {
      programId: config.PROGRAM_ID,
      limit: NOTIFIED_AT_ONCE,
      onPage: enqueuePages(queue, stop),
    })
    if (notified > 0) log.info({ risks: notified }, 'payment-risks.notified')
  },
})
