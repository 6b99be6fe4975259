// The client that we publish, as whoever installs it uses it.
import { watchPayments } from '@payment-tracking/client'

export interface Watcher {
  trackingId: string
  /** In the order they were handed over. */
  eventIds: string[]
  resets: string[]
  close(): void
}

export function openWatchers(baseUrl: string, trackingIds: readonly string[]): Watcher[] {
  return trackingIds.map(trackingId => {
    const eventIds: string[] = []
    const resets: string[] = []
    const watch = watchPayments(baseUrl, {
      trackingId,
      since: 0,
      onPayment: ({ eventId }) => eventIds.push(eventId),
      onReset: () => resets.push(trackingId),
    })
    return { trackingId, eventIds, resets, close: () => watch.close() }
  })
}
