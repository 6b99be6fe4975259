// Events one by one: each that was published is stored once, as it was said, and nothing else is.
import type { ModelPayment, ResolvedEvent } from '@payment-tracking/testkit/oracle'
import type { Differences } from './differences.js'
import type { Expected } from './read-stream.js'
import type { StoredEvent } from './stored-events.js'

/** @returns the stored row of each event, by the event's key */
export function compareEvents(
  { model, dataTexts }: Expected,
  stored: readonly StoredEvent[],
  differences: Differences,
): Map<string, StoredEvent> {
  const paymentOf = new Map(model.payments.map(payment => [payment.event.key, payment]))
  const byKey = new Map(model.events.map(event => [event.key, event]))
  const found = new Map<string, StoredEvent>()
  for (const row of stored) {
    const { key } = row
    const event = byKey.get(key)
    if (!event) differences.add('events', `${row.name} ${row.signature} is stored and was never published`)
    else if (found.has(key)) differences.add('events', `${row.name} ${row.signature} is stored twice`)
    else {
      found.set(key, row)
      if (!dataTexts.get(key)!.has(row.dataText))
        differences.add('events', `${row.name} ${row.signature}: data is not as any message wrote it`)
      compareFields(event, row, paymentOf.get(key), differences)
    }
  }
  for (const { key, name, signature, slot } of model.events)
    if (!found.has(key)) differences.add('events', `${name} ${signature} of slot ${slot} is not stored`)
  return found
}

function compareFields(
  { at, index, retracted }: ResolvedEvent,
  row: StoredEvent,
  payment: ModelPayment | undefined,
  differences: Differences,
): void {
  const check = (field: string, is: unknown, should: unknown) => {
    if (is === should) return
    const where = `${row.name} ${row.signature}`
    differences.add('events', `${where}: ${field} is ${String(is)}; it should be ${String(should)}`)
  }
  check('time', row.occurredAtMs, at)
  check('index', row.eventIndex, index)
  check('retracted', row.retracted, retracted)
  if (!payment) return
  check('amount', row.amount, String(payment.amount))
  check('gateway', row.gateway, payment.gateway)
  check('tracking ID', row.trackingId, payment.trackingId)
}
