// The published client, used as its users do.
import { watchPayments, type PaymentWatch } from '@payment-tracking/client'

export interface Watcher {
  trackingId: string
  /** In the order of their arrival. */
  eventIds: string[]
  /** Retracted payments, whether they arrived before or not. */
  retracted: Set<string>
  resets: string[]
  close(): void
}

export function openWatchers(baseUrl: string, trackingIds: readonly string[]): Watcher[] {
  return trackingIds.map(trackingId => {
    let watch: PaymentWatch
    const watcher: Watcher = {
      trackingId,
      eventIds: [],
      retracted: new Set(),
      resets: [],
      close: () => watch.close(),
    }
    const open = () => {
      watch = watchPayments(baseUrl, {
        trackingId,
        since: 0,
        onPayment: ({ eventId }) => watcher.eventIds.push(eventId),
        onRetraction: ({ eventId }) => watcher.retracted.add(eventId),
        // Nothing that is known holds any more: begin anew, as a shop would read its orders anew.
        onReset: () => {
          watcher.resets.push(trackingId)
          watch.close()
          watcher.eventIds = []
          watcher.retracted.clear()
          open()
        },
      })
    }
    open()
    return watcher
  })
}
