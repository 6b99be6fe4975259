// Tells webhooks of due payments at risk, as ingest knows them from the nodes.
import type { DeliveryQueue } from '@payment-tracking/queue'
import type { Logger } from '@payment-tracking/runtime'
import { tellRisks, type Store } from '@payment-tracking/store'
import type { MaintenanceTask } from './maintenance.js'
import { tellPages } from './tell-pages.js'

/** Policies whose risks one transaction tells. */
const TOLD_AT_ONCE = 200

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
    const told = await tellRisks(store, {
      programId: config.PROGRAM_ID,
      limit: TOLD_AT_ONCE,
      onPage: tellPages(queue, stop),
    })
    if (told > 0) log.info({ risks: told }, 'payment-risks.told')
  },
})
