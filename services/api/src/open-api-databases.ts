import { ConfigError, readReplicaUrls, type Logger } from '@payment-tracking/runtime'
import { findReplicaFaults } from '@payment-tracking/store/core'
import { openDatabases, type Databases } from '@payment-tracking/store/reads'
import type { ApiConfig } from './config.js'

/**
 * Checks the replicas, and opens the primary and its replicas.
 * @throws ConfigError when an address can lead to no replica: it names each. One that is away is only warned of
 */
export async function openApiDatabases(
  config: ApiConfig,
  log: Logger,
  statementTimeoutMs: number,
): Promise<Databases> {
  const replicaUrls = readReplicaUrls(config.DATABASE_REPLICA_URLS)
  const faults = await findReplicaFaults(replicaUrls, config)
  for (const { name, message } of faults.filter(({ isFinal }) => !isFinal))
    log.warn({ replica: name, problem: message }, 'replica.away')
  const final = faults.filter(({ isFinal }) => isFinal)
  if (final.length > 0) throw new ConfigError(final.map(({ message }) => message))
  return openDatabases({
    ...config,
    replicaUrls,
    maxLagMs: config.REPLICA_MAX_LAG_MS,
    onReplica: (replica, problem) =>
      problem === null
        ? log.info({ replica }, 'replica.asked')
        : log.warn({ replica, problem }, 'replica.not-asked'),
    poolSize: config.DATABASE_POOL_SIZE,
    statementTimeoutMs,
    applicationName: 'payment-tracking-api',
  })
}
