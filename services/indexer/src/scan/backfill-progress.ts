import type { Logger } from '@payment-tracking/runtime'
import type { IndexerMetrics } from '../indexer-metrics.js'

const REPORT_MS = 2_000

/** Logs the progress of a backfill: a line every two seconds. */
export class BackfillProgress {
  readonly #startedAt = performance.now()
  #reportedAt = -Infinity
  #transactions = 0
  #pagesDone = 0
  #slot = 0

  constructor(
    private readonly log: Logger,
    private readonly metrics: IndexerMetrics,
    private readonly pages: number,
  ) {}

  add(transactions: number): void {
    this.#transactions += transactions
    this.#report()
  }

  page(done: number, slot: number): void {
    this.#pagesDone = done
    this.#slot = slot
    this.#report()
  }

  end(): void {
    this.#reportedAt = -Infinity
    this.#report('indexer.backfilled')
    this.metrics.backfillRemaining(0)
  }

  #report(message = 'indexer.backfilling'): void {
    this.metrics.backfillRemaining((this.pages - this.#pagesDone) * 1_000)
    const now = performance.now()
    if (now - this.#reportedAt < REPORT_MS) return
    this.#reportedAt = now
    const seconds = (now - this.#startedAt) / 1_000
    this.log.info(
      {
        transactions: this.#transactions,
        ofAbout: this.pages * 1_000,
        throughSlot: this.#slot,
        perSecond: Math.round(this.#transactions / Math.max(seconds, 0.001)),
      },
      message,
    )
  }
}

/** Logs the progress of a long list, which is walked backwards before its oldest transaction is read. */
export class ListProgress {
  #reportedAt = performance.now()
  #transactions = 0

  constructor(private readonly log: Logger) {}

  readonly add = (transactions: number, backToSlot: number): void => {
    this.#transactions += transactions
    if (performance.now() - this.#reportedAt < REPORT_MS) return
    this.#reportedAt = performance.now()
    this.log.info({ transactions: this.#transactions, backToSlot }, 'indexer.listing')
  }
}
