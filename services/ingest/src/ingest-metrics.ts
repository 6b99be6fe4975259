import type { StreamLag } from '@payment-tracking/bus'
import type { Metrics } from '@payment-tracking/runtime'

export type IngestMetrics = ReturnType<typeof createIngestMetrics>

/** Registers the metrics that the batch handler writes. */
export const createIngestMetrics = (metrics: Metrics) => ({
  batchSize: metrics.histogram(
    'ingest_batch_messages',
    'Messages in a batch',
    [1, 3, 10, 30, 100, 300, 1000, 3000],
  ),
  batchSeconds: metrics.histogram(
    'ingest_batch_seconds',
    'From the start of a batch to its commit; above 1: Postgres is slow, or the writer lock is held',
    [0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5],
  ),
  events: metrics.counter('ingest_events_total', 'Messages by what became of them', ['result']),
  failedBatches: metrics.counter('ingest_failed_batches_total', 'Batches that must come again', ['code']),
  prunedRows: metrics.counter('pruned_rows_total', 'Rows that were removed after their retention', ['table']),
  epochChanges: metrics.counter(
    'database_epoch_changes_total',
    'Times this process found that the database may lack commits',
  ),
})

/** Values that each scrape of the metrics reads from other parts of ingest. */
export interface IngestReadings {
  lag: () => Promise<StreamLag | null>
  /** gaps of the stream that no operator has closed yet */
  openGaps: () => Promise<number>
  /** rejects while no messages are read */
  consuming: () => Promise<void>
  /** whether the stream takes control messages; null before the first check */
  takesControls: () => boolean | null
  /** age in seconds of the oldest committed batch that is not relayed yet; 0 without such a batch */
  outboxSeconds: () => Promise<number>
  /** how long ago the oldest month in lists had to be archived first */
  archiveDueSeconds: () => Promise<number>
  /** work that messages left: how much, and the age of the oldest in seconds */
  work: () => Promise<{ count: number; oldestSeconds: number }>
}

/** Registers the gauges that are read when metrics are scraped. */
export function measureIngest(
  metrics: Metrics,
  { lag, consuming, openGaps, takesControls, outboxSeconds, archiveDueSeconds, work }: IngestReadings,
): void {
  const lagGauge = metrics.gauge(
    'ingest_lag_messages',
    'Messages of the stream that are not acknowledged yet',
  )
  const lagSeconds = metrics.gauge('ingest_lag_seconds', 'Age of the oldest message not acknowledged yet')
  metrics.onScrape(lagGauge, async () => {
    // An unknown lag is NaN, not 0: a consumer that does not answer must not look up to date.
    lagGauge.set(NaN)
    lagSeconds.set(NaN)
    const read = await lag()
    lagGauge.set(read?.messages ?? NaN)
    lagSeconds.set(read?.oldestSeconds ?? NaN)
  })
  const consumingGauge = metrics.gauge('ingest_consuming', 'Whether messages are read from the stream')
  metrics.onScrape(consumingGauge, async () => {
    consumingGauge.set(0)
    await consuming()
    consumingGauge.set(1)
  })
  const outbox = metrics.gauge(
    'ingest_outbox_oldest_seconds',
    'Age of the oldest committed batch that was not announced yet',
  )
  metrics.onScrape(outbox, async () => outbox.set(await outboxSeconds()))
  const archiveDue = metrics.gauge(
    'ingest_archive_due_seconds',
    'How long ago the oldest month in lists had to be archived first; 0 without such a month',
  )
  metrics.onScrape(archiveDue, async () => archiveDue.set(await archiveDueSeconds()))
  const tasks = metrics.gauge(
    'ingest_tasks',
    'Tasks that are done in pages, at most 10,000 counted; ends at 0 by itself',
  )
  const taskSeconds = metrics.gauge(
    'ingest_task_oldest_seconds',
    'Age of the oldest task that is done in pages',
  )
  metrics.onScrape(tasks, async () => {
    const { count, oldestSeconds } = await work()
    tasks.set(count)
    taskSeconds.set(oldestSeconds)
  })
  const controls = metrics.gauge(
    'ingest_stream_takes_controls',
    'Whether the stream takes control messages, by its subjects',
  )
  metrics.onScrape(controls, () => {
    const takes = takesControls()
    controls.set(takes === null ? NaN : Number(takes))
  })
  const gaps = metrics.gauge(
    'ingest_stream_gaps',
    'Ranges of messages that the stream discarded before they were read, and that nobody has closed',
  )
  metrics.onScrape(gaps, async () => gaps.set(await openGaps()))
}
