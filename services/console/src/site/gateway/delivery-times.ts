/** What the newest deliveries show of an endpoint. */
export interface DeliveryTimes {
  /** of the delivered ones, from made to delivered, in milliseconds; null without any */
  p50Ms: number | null
  p95Ms: number | null
  /** how many of those that ended were delivered, as a fraction */
  delivered: number
  ended: number
}

interface Delivery {
  status: string
  createdAt: string
  finishedAt: string | null
}

const percentile = (sorted: readonly number[], share: number): number | null =>
  sorted.length === 0 ? null : sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!

export function deliveryTimes(deliveries: readonly Delivery[]): DeliveryTimes {
  const delivered = deliveries.filter(({ status }) => status === 'delivered')
  const times = delivered
    .map(({ createdAt, finishedAt }) => Date.parse(finishedAt!) - Date.parse(createdAt))
    .sort((a, b) => a - b)
  return {
    p50Ms: percentile(times, 0.5),
    p95Ms: percentile(times, 0.95),
    delivered: delivered.length,
    ended: deliveries.filter(({ finishedAt }) => finishedAt !== null).length,
  }
}

/**
 * When the endpoint is tried again behind an open breaker. Each worker has a breaker of its own in memory, which no route
 * tells; what it holds back does.
 * @returns ISO 8601; null while the breaker holds nothing back
 */
export const breakerOpenUntil = (
  waiting: readonly { heldReason: string | null; nextAttemptAt: string | null }[],
): string | null =>
  waiting
    .flatMap(({ heldReason, nextAttemptAt }) =>
      heldReason === 'breaker open' && nextAttemptAt !== null ? [nextAttemptAt] : [],
    )
    .sort()[0] ?? null
