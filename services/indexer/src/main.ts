import { openBus } from '@payment-tracking/bus'
import { indexerBucketOf } from '@payment-tracking/contracts'
import { runMain } from '@payment-tracking/runtime'
import { IndexerConfig, settingsOf } from './config.js'
import { createIndexerMetrics } from './indexer-metrics.js'
import { Indexer } from './indexer.js'
import { INDEXER_TUNABLES } from './tunables.js'

await runMain(
  'indexer',
  IndexerConfig,
  async ({ config, log, context, tunables }) => {
    const settings = settingsOf(config, tunables)
    const bus = await context.own('bus', () => openBus(config, `indexer ${config.ENVIRONMENT}`, log))
    context.probe('nats', () => bus.ping())
    await bus.ensureStream(settings)
    // The checkpoint describes the stream, so the checkpoint is stored beside the stream.
    const keys = await bus.openKeyValue(indexerBucketOf(config.STREAM_NAME), config.STREAM_NAME)
    const metrics = createIndexerMetrics(context.metrics)
    const indexer = new Indexer(settings, bus, keys, metrics, log, error => context.fail(error))
    context.intake('chain', indexer)
  },
  INDEXER_TUNABLES,
)
