// `npm run operate -- reingest --since TIME|SEQUENCE`: reads the stream again from there, as ingest does after a loss, and
// exits; the exit code is 1 after a failure. The command may run beside ingest and may be repeated: rows that exist
// stay unchanged.
import { MOST_UNACKNOWLEDGED_BATCHES, openBus } from '@payment-tracking/bus'
import { openQueue } from '@payment-tracking/queue'
import { buildHeadRecords, openRedis } from '@payment-tracking/redis'
import { createLogger, createMetrics, readConfig, realtimeRedisOf } from '@payment-tracking/runtime'
import { checkRedis } from '@payment-tracking/runtime/redis'
import { openStore } from '@payment-tracking/store/core'
import { IngestConfig, programOf, streamOf } from './config.js'
import { createIngestMetrics } from './ingest-metrics.js'
import { buildSinks } from './outbox-relay/build-sinks.js'
import { OutboxRelay } from './outbox-relay/outbox-relay.js'
import { buildBatchHandler } from './pipeline/build-batch-handler.js'
import { DatabaseGuard } from './recovery/database-guard.js'
import { readSince } from './recovery/read-since.js'
import { reingest } from './recovery/reingest.js'
import { INGEST_TUNABLES } from './tunables.js'

async function main(): Promise<void> {
  const since = readSince()
  const config = readConfig(IngestConfig, process.env)
  const log = createLogger('reingest', config)
  await Promise.all([checkRedis(config), checkRedis(realtimeRedisOf(config))])
  const onError = (err: Error) => log.debug({ err }, 'redis.connection-error')
  const store = openStore({ ...config, poolSize: 5, applicationName: 'reingest' })
  const redis = openRedis({ ...config, connectionName: 'reingest', onError })
  const channel = openRedis({ ...realtimeRedisOf(config), connectionName: 'reingest', onError })
  const queue = openQueue({ ...config, onError })
  const bus = await openBus(config, `reingest ${config.ENVIRONMENT}`, log)
  const relay = new OutboxRelay(store, buildSinks(channel, queue), log)
  const metrics = createIngestMetrics(createMetrics())
  const guard = new DatabaseGuard({
    store,
    records: buildHeadRecords(redis),
    metrics,
    log,
    reingestMargin: INGEST_TUNABLES.batchSize * MOST_UNACKNOWLEDGED_BATCHES,
    // If this command notices a database change, the ingest service reads the stream again itself.
    reingest: () => Promise.resolve(),
  })
  const handle = buildBatchHandler({
    store,
    guard,
    relay,
    program: programOf(config),
    metrics,
    log,
    again: true,
  })
  try {
    await reingest(since, {
      bus,
      handle,
      stream: streamOf(config),
      batchSize: INGEST_TUNABLES.batchSize,
      log,
    })
    await relay.drain()
  } finally {
    await bus.close()
    await Promise.allSettled([queue.close(), redis.close(), channel.close()])
    await store.close()
  }
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
})
