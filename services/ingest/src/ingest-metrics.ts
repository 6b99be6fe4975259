import type { Metrics } from '@payment-tracking/runtime'

export type IngestMetrics = ReturnType<typeof createIngestMetrics>

export const createIngestMetrics = (metrics: Metrics, lag: () => Promise<number | null>) => {
  const lagGauge = metrics.gauge(
    'ingest_lag_messages',
    'Messages of the stream that are not acknowledged yet',
  )
  // The stream is asked when somebody looks, not on a timer.
  Object.assign(lagGauge, {
    async collect() {
      const messages = await lag()
      if (messages !== null) lagGauge.set(messages)
    },
  })
  return {
    batchSize: metrics.histogram(
      'ingest_batch_messages',
      'Messages in a batch',
      [1, 3, 10, 30, 100, 300, 1000, 3000],
    ),
    batchSeconds: metrics.histogram(
      'ingest_batch_seconds',
      'From a batch in hand to its commit',
      [0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5],
    ),
    events: metrics.counter('ingest_events_total', 'Messages by what became of them', ['result']),
    failedBatches: metrics.counter('ingest_failed_batches_total', 'Batches that must come again', ['code']),
  }
}
