import type { EventFilter, StreamEvent } from '@payment-tracking/store/reads'

/** Whether a live event passes the filter, with the same result as the filter in SQL. */
export function matchesFilter(event: StreamEvent, filter: EventFilter): boolean {
  const at = event.occurredAt.getTime()
  const is = <T>(wanted: T | undefined, value: T | null) => wanted === undefined || wanted === value
  return (
    is(filter.signature, event.signature) &&
    is(filter.slot, event.slot) &&
    is(filter.name, event.name) &&
    is(filter.trackingId, event.trackingId) &&
    is(filter.gateway, event.gateway) &&
    is(filter.paymentPolicy, event.paymentPolicy) &&
    (filter.startTime === undefined || at >= Number(filter.startTime)) &&
    (filter.endTime === undefined || at <= Number(filter.endTime)) &&
    (filter.minSlot === undefined || event.slot >= filter.minSlot) &&
    (filter.maxSlot === undefined || event.slot <= filter.maxSlot)
  )
}
