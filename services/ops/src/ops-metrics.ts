import type { Metrics } from '@payment-tracking/runtime'
import { countDeadLetters, countGaps, type Store } from '@payment-tracking/store'

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
}
