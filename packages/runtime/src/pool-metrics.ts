import type { Metrics } from './metrics.js'

/** The connections of a pool at this moment. */
export interface PoolUse {
  limit: number
  inUse: number
  idle: number
  /** callers that wait for a connection */
  waiting: number
}

/** Shows a pool on `/metrics`, read at each scrape. */
export function measurePool(metrics: Metrics, read: () => PoolUse): void {
  const connections = metrics.gauge('pool_connections', 'Connections to Postgres by what they do', ['state'])
  const waiting = metrics.gauge('pool_waiting', 'Callers that wait for a connection to Postgres; bad above 0')
  const limit = metrics.gauge(
    'pool_limit_connections',
    'Connections to Postgres that the pool may open; the sum of all processes must stay below max_connections',
  )
  metrics.onScrape(limit, () => {
    const use = read()
    connections.set({ state: 'in_use' }, use.inUse)
    connections.set({ state: 'idle' }, use.idle)
    waiting.set(use.waiting)
    limit.set(use.limit)
  })
}
