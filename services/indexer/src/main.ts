import { openBus } from '@payment-tracking/bus'
import { runMain } from '@payment-tracking/runtime'
import { IndexerConfig } from './config.js'
import { createIndexerMetrics } from './indexer-metrics.js'
import { Indexer } from './indexer.js'

await runMain('indexer', IndexerConfig, async ({ config, log, context }) => {
  const bus = await context.own('bus', () => openBus(config, `indexer ${config.ENVIRONMENT}`, log))
  context.probe('nats', () => bus.ping())
  await bus.ensureStream(config)
  // The checkpoint describes the stream, so the checkpoint is stored beside the stream.
  const keys = await bus.openKeyValue(
    config.INDEXER_BUCKET ?? `INDEXER_${config.STREAM_NAME}`,
    config.STREAM_NAME,
  )
  const metrics = createIndexerMetrics(context.metrics)
  const indexer = new Indexer(config, bus, keys, metrics, log, error => context.fail(error))
  context.intake('chain', indexer)
})
