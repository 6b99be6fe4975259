import { HeadTracker } from '../../core/database/head-tracker.js'
import type { Store } from '../../core/database/sql.js'
import { openStore, type StoreOptions } from '../../core/database/open-store.js'
import { nameOfDatabase } from '../../core/database/check-replicas.js'
import { Fleet } from './fleet.js'
import { openReads, type Reads } from './open-reads.js'
import { Replica, SERVER_SAMPLE, type ReplicaProblem, type ServerSample } from './replica.js'

export interface DatabasesOptions extends StoreOptions {
  replicaUrls: readonly string[]
  /** a replica with a greater lag is not asked, in milliseconds */
  maxLagMs: number
  /** a replica is asked again (null), or why it is not asked any more */
  onReplica: (name: string, problem: ReplicaProblem | null) => void
}

/** The primary, and what may answer reads. */
export interface Databases {
  store: Store
  reads: Reads
  close(): Promise<void>
}

/**
 * Opens the primary and its replicas without connecting. TLS, pooler, limits and sizes of pools are the same for all.
 */
export function openDatabases({ replicaUrls, maxLagMs, onReplica, ...options }: DatabasesOptions): Databases {
  const withReplicas = replicaUrls.length > 0
  const heads = new HeadTracker<ServerSample>(
    () => store.database.lookUp,
    ...(withReplicas ? [SERVER_SAMPLE] : []),
  )
  const store = openStore({ ...options, onConnect: run => heads.greet(run) })
  const replicas = replicaUrls.map(url => new Replica(nameOfDatabase(url), { ...options, DATABASE_URL: url }))
  const fleet = withReplicas
    ? new Fleet({ primary: heads, replicas, maxLagMs, onChange: onReplica })
    : undefined
  const reads = openReads(store, heads, fleet)
  return {
    store,
    reads,
    close: async () => {
      await Promise.all([reads.close(), store.close()])
    },
  }
}
