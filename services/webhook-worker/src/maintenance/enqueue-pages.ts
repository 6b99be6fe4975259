// What follows each page of a task that notifies webhooks.
import { setTimeout as sleep } from 'node:timers/promises'
import type { DeliveryRef } from '@payment-tracking/contracts'
import { asBulk, type DeliveryQueue } from '@payment-tracking/queue'

/**
 * Enqueues the deliveries of each page apart from those of payments, and pauses as long as the page took, so that others get
 * their turn.
 * @returns a function to be called after each page; it resolves with whether the next page may begin
 */
export function enqueuePages(
  queue: Pick<DeliveryQueue, 'enqueueDeliveries'>,
  stop: AbortSignal,
): (page: { deliveries: DeliveryRef[] }) => Promise<boolean> {
  let startedAt = performance.now()
  return async ({ deliveries }) => {
    // While Redis is away, the sweeper enqueues these deliveries.
    if (deliveries.length > 0) await queue.enqueueDeliveries(asBulk(deliveries)).catch(() => {})
    await sleep(performance.now() - startedAt)
    startedAt = performance.now()
    return !stop.aborted
  }
}
