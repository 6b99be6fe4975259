import type { Metrics } from '@payment-tracking/runtime'
import { countDeadLetters, countGaps, countWebhookWork } from '@payment-tracking/store/admin'
import { countQuarantined, type Store } from '@payment-tracking/store/core'

/** Measures the whole deployment at each scrape of the metrics. */
export function measurePipeline(metrics: Metrics, store: Store): void {
  const letters = metrics.gauge('dead_letters', 'Refused messages that are kept, by code', ['code', 'state'])
  metrics.onScrape(letters, async () => {
    const rows = await countDeadLetters(store)
    letters.reset()
    for (const { code, open, total } of rows) {
      letters.set({ code, state: 'open' }, Number(open))
      letters.set({ code, state: 'replayed' }, Number(total - open))
    }
  })
  const gaps = metrics.gauge('chain_gaps', 'Parts of the chain that the indexer could not read', ['state'])
  metrics.onScrape(gaps, async () => {
    const { open, closed } = await countGaps(store)
    gaps.set({ state: 'open' }, open)
    gaps.set({ state: 'closed' }, closed)
  })
  const quarantined = metrics.gauge('rows_quarantined', 'Rows that made a task fail and that it leaves out', [
    'task',
  ])
  metrics.onScrape(quarantined, async () => {
    const rows = await countQuarantined(store)
    quarantined.reset()
    for (const { task, count } of rows) quarantined.set({ task }, Number(count))
  })
  const work = metrics.gauge(
    'webhook_work',
    'Webhooks with deliveries to cancel, redeliver or make in pages; ends at 0 by itself',
    ['kind'],
  )
  const oldest = metrics.gauge(
    'webhook_work_oldest_seconds',
    'Age of the oldest work in pages for a webhook',
    ['kind'],
  )
  metrics.onScrape(work, async () => {
    const rows = await countWebhookWork(store)
    work.reset()
    oldest.reset()
    for (const { kind, count, oldestSeconds } of rows) {
      work.set({ kind }, count)
      oldest.set({ kind }, oldestSeconds)
    }
  })
}
