import type { Metrics } from '@payment-tracking/runtime'
import type { Waits } from './nodes/waits.js'

/** What became of a token account in a round over what is due. */
export type FundsCounts = Record<'agreed' | 'disputed' | 'unread', number>
export const NO_FUNDS: FundsCounts = { agreed: 0, disputed: 0, unread: 0 }

export type IndexerMetrics = ReturnType<typeof createIndexerMetrics>

export const createIndexerMetrics = (metrics: Metrics) => {
  const leading = metrics.gauge('indexer_leading', 'Whether this indexer holds the lease: 1 or 0')
  const checkpointSlot = metrics.gauge('indexer_checkpoint_slot', 'Highest slot that is published completely')
  const lag = metrics.gauge('indexer_slots_behind', 'Finalized slots that are not published yet')
  const age = metrics.gauge(
    'indexer_checkpoint_age_seconds',
    'Time since the checkpoint moved, of the indexer that holds the lease',
  )
  const remaining = metrics.gauge(
    'indexer_backfill_remaining_transactions',
    'Transactions that a backfill has still to read, by pages of 1,000; does not fall: the nodes limit the rate',
  )
  const requests = metrics.counter('indexer_requests_total', 'Requests to Solana nodes by outcome', [
    'node',
    'method',
    'result',
  ])
  const published = metrics.counter('indexer_published_total', 'Messages that the stream acknowledged')
  const gaps = metrics.counter('indexer_gaps_total', 'Gaps by what could not be read', ['reason'])
  const disagreements = metrics.counter(
    'indexer_disagreements_total',
    'Transactions that another node listed and this one did not',
    ['node'],
  )
  const retracted = metrics.counter(
    'indexer_retracted_total',
    'Confirmed transactions that did not become final',
  )
  const unordered = metrics.counter(
    'indexer_unordered_slots_total',
    'Slots whose transactions were published in the order of their signatures, because no node returned the block',
  )
  const waiting = metrics.gauge(
    'indexer_waiting_seconds',
    'How long the nodes have answered a question without use; the indexer goes on after a minute',
  )
  const funds = metrics.gauge(
    'indexer_funds_accounts',
    'Token accounts of the last round over what is due: the nodes agreed, disagreed or lagged, or did not answer',
    ['result'],
  )
  const setFunds = (counts: FundsCounts) => {
    for (const [result, count] of Object.entries(counts)) funds.set({ result }, count)
  }
  // A scrape before the first round finds the same series as later.
  setFunds(NO_FUNDS)
  let waits: Pick<Waits, 'longest'> | undefined
  metrics.onScrape(waiting, () => {
    const longest = waits?.longest()
    waiting.set(longest ? (Date.now() - longest.since.getTime()) / 1_000 : 0)
  })
  let movedAt: number | undefined
  let through = 0
  let tip = 0
  metrics.onScrape(age, () => age.set(movedAt === undefined ? 0 : (performance.now() - movedAt) / 1_000))
  return {
    leading: (is: boolean) => {
      leading.set(is ? 1 : 0)
      movedAt = is ? performance.now() : undefined
    },
    checkpoint: (slot: number) => {
      if (slot > through) movedAt = performance.now()
      through = slot
      checkpointSlot.set(slot)
      lag.set(Math.max(0, tip - slot))
    },
    /** @param slot the chain's finalized slot */
    finalized: (slot: number) => {
      tip = slot
      lag.set(Math.max(0, tip - through))
    },
    backfillRemaining: (transactions: number) => remaining.set(transactions),
    request: (node: string, method: string, result: string) => requests.inc({ node, method, result }),
    published: (count: number) => published.inc(count),
    gap: (reason: string) => gaps.inc({ reason }),
    disagreement: (node: string) => disagreements.inc({ node }),
    retracted: (count: number) => retracted.inc(count),
    unordered: () => unordered.inc(),
    /** @param counts token accounts of a whole round */
    funds: setFunds,
    /** What the indexer waits for, since it follows the chain. */
    watchWaits: (watched: Pick<Waits, 'longest'>) => (waits = watched),
  }
}
