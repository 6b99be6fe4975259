import type { DeliveryQueue } from '@payment-tracking/queue'
import { sweepDeliveries, unsweepDeliveries, type Store } from '@payment-tracking/store'

/** With this many jobs in the queue (32,000 deliveries in full jobs), an overdue row most likely has a job already. */
const BACKLOG = 2_000
const LIMIT = 1_000

/**
 * Puts overdue deliveries back into the queue. Their job was lost with Redis, ingest died before it wrote the job, or
 * the worker died. Several workers may sweep at the same time and share the rows.
 * @returns how many deliveries were enqueued
 */
export async function sweepOnce(
  parts: { store: Store; queue: DeliveryQueue },
  limits: { overdueMs: number; againMs: number },
): Promise<number> {
  if ((await parts.queue.countWaiting()) > BACKLOG) return 0
  const overdue = await sweepDeliveries(parts.store, { ...limits, limit: LIMIT })
  if (overdue.length === 0) return 0
  try {
    await parts.queue.enqueueDeliveries(overdue)
  } catch (error) {
    await unsweepDeliveries(parts.store, overdue)
    throw error
  }
  return overdue.length
}
