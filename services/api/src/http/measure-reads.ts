import type { Metrics } from '@payment-tracking/runtime'
import type { Reads } from '@payment-tracking/store/reads'

/** Shows which databases answer reads, and the lag of replicas. */
export function measureReads(metrics: Metrics, reads: Reads): void {
  // Read at each scrape, in this order: the first gauge fills the others.
  const asked = metrics.gauge('replica_asked', '1 while a replica is asked for reads', ['database'])
  const counter = metrics.counter('reads_total', 'Requests by the database that they read from', ['database'])
  const lag = metrics.gauge('replica_lag_seconds', 'How far a replica is behind the primary', ['database'])
  const counted = new Map<string, number>()
  const count = (database: string, total: number) => {
    counter.inc({ database }, total - (counted.get(database) ?? 0))
    counted.set(database, total)
  }
  metrics.onScrape(asked, () => {
    count('primary', reads.primaryReads())
    for (const { name, problem, lagMs, reads: total } of reads.replicas()) {
      count(name, total)
      asked.set({ database: name }, problem === null ? 1 : 0)
      if (Number.isFinite(lagMs)) lag.set({ database: name }, lagMs / 1_000)
    }
  })
}
