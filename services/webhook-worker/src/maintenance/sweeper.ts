import { asBulk, type DeliveryQueue } from '@payment-tracking/queue'
import { sweepDeliveries, unsweepDeliveries, type SweepKey } from '@payment-tracking/store/deliveries'
import { type Store } from '@payment-tracking/store/core'

/** With this many jobs in the queue, an overdue row most likely has a job that waits for its turn. */
export const BACKLOG = 2_000
const LIMIT = 1_000

/**
 * Gives overdue deliveries a job again, with the tries that are left. Theirs was lost with Redis, ingest died before it wrote the
 * job, or the job ended before the row. Several workers may sweep at the same time and share the rows.
 * @returns a function that sweeps one page and returns how many deliveries it woke. The next call goes on after
 *   the page, or begins at the oldest overdue delivery again
 */
export function buildSweeper(
  parts: { store: Store; queue: DeliveryQueue },
  limits: { overdueMs: number; againMs: number },
): () => Promise<number> {
  let after: SweepKey | null = null
  return async () => {
    if ((await parts.queue.countWaiting()).bulk > BACKLOG) return 0
    const { deliveries, next } = await sweepDeliveries(parts.store, { ...limits, limit: LIMIT, after })
    if (deliveries.length > 0) {
      try {
        await parts.queue.promoteDeliveries(asBulk(deliveries))
      } catch (error) {
        await unsweepDeliveries(parts.store, deliveries)
        throw error
      }
    }
    after = next
    return deliveries.length
  }
}
