import { openBus } from '@payment-tracking/bus'
import { openQueue } from '@payment-tracking/queue'
import { measurePool, runMain } from '@payment-tracking/runtime'
import { openRedis } from '@payment-tracking/redis'
import { openStore, readOldestOutboxSeconds } from '@payment-tracking/store'
import { buildBatchHandler } from './batches/build-batch-handler.js'
import { IngestConfig } from './config.js'
import { HandOver, type Outlets } from './hand-over/hand-over.js'
import { Sweeper } from './hand-over/sweeper.js'
import { createIngestMetrics } from './ingest-metrics.js'

await runMain('ingest', IngestConfig, async ({ config, log, life, tracing }) => {
  // The pool closes last: what is handed over at the end is still marked.
  const store = await life.own('store', () =>
    openStore({ ...config, poolSize: 4, applicationName: 'ingest' }),
  )
  const onError = (err: Error) => log.debug({ err }, 'redis.connection-error')
  const redis = await life.own('redis', () => openRedis({ ...config, connectionName: 'ingest', onError }))
  const queue = await life.own('queue', () => openQueue({ ...config, onError }))
  const bus = await life.own('bus', () => openBus(config, `ingest ${config.ENVIRONMENT}`, log))
  measurePool(life.metrics, () => store.poolUse())
  life.probe('postgres', () => store.ping())
  life.probe('redis', () => redis.ping())
  life.probe('nats', () => bus.ping())

  const outlets: Outlets = {
    announce: (payments, committedAt) => redis.announce(payments, committedAt.getTime()),
    enqueue: deliveries => queue.enqueueDeliveries(deliveries),
  }
  const handOver = await life.own('hand-over', () => {
    const opened = new HandOver(store, outlets, log)
    return Object.assign(opened, { close: () => opened.settle() })
  })
  const consumer = bus.consume({ ...config, traced: tracing !== undefined }, (messages, stream) =>
    handle(messages, stream),
  )
  const handle = buildBatchHandler({
    store,
    handOver,
    program: { programId: config.PROGRAM_ID, requireProgramId: config.REQUIRE_PROGRAM_ID },
    metrics: createIngestMetrics(life.metrics, {
      lag: () => consumer.measureLag(),
      consuming: () => consumer.checkConsuming(),
      outboxSeconds: () => readOldestOutboxSeconds(store),
    }),
    tracing,
    log,
  })
  life.probe('stream', () => consumer.checkConsuming())
  life.intake('stream', consumer)
  life.intake('sweeper', new Sweeper(store, outlets, config.SWEEP_INTERVAL_MS, log))
})
