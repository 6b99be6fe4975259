import type { DeliveryQueue } from '@payment-tracking/queue'
import type { Logger } from '@payment-tracking/runtime'
import { redeliverByIds } from '@payment-tracking/store/deliveries'
import { type Store } from '@payment-tracking/store/core'

/**
 * Opens a new cycle of tries for failed deliveries of active webhooks.
 * @returns how many deliveries are due now
 */
export async function redeliverFailed(
  parts: { store: Store; queue: DeliveryQueue; log: Logger },
  ids: readonly bigint[],
): Promise<number> {
  const deliveries = await redeliverByIds(parts.store, ids)
  // The rows are due: without Redis, the workers' sweepers find the rows.
  await parts.queue
    .enqueueDeliveries(deliveries)
    .catch((err: unknown) => parts.log.warn({ err }, 'deliveries.not-enqueued'))
  return deliveries.length
}
