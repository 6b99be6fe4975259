/** What the newest deliveries tell of an endpoint. */
export interface DeliveryTimes {
  /** of the delivered ones, from made to delivered, in milliseconds; null without any */
  p50Ms: number | null
  p95Ms: number | null
  /** how many of those that ended were delivered, as a fraction */
  delivered: number
  ended: number
  /** why deliveries wait, with how many */
  held: ReadonlyMap<string, number>
}

interface Delivery {
  status: string
  createdAt: string
  finishedAt: string | null
  heldReason: string | null
}

const percentile = (sorted: readonly number[], share: number): number | null =>
  sorted.length === 0 ? null : sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!

export function deliveryTimes(deliveries: readonly Delivery[]): DeliveryTimes {
  const delivered = deliveries.filter(({ status }) => status === 'delivered')
  const times = delivered
    .map(({ createdAt, finishedAt }) => Date.parse(finishedAt!) - Date.parse(createdAt))
    .sort((a, b) => a - b)
  const held = new Map<string, number>()
  for (const { status, heldReason } of deliveries)
    if (status === 'waiting') held.set(heldReason ?? 'unknown', (held.get(heldReason ?? 'unknown') ?? 0) + 1)
  return {
    p50Ms: percentile(times, 0.5),
    p95Ms: percentile(times, 0.95),
    delivered: delivered.length,
    ended: deliveries.filter(({ finishedAt }) => finishedAt !== null).length,
    held,
  }
}
