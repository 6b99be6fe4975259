// Events one by one: each that was published is stored once, as it was said, and nothing else is.
import type { ModelEvent } from '../model/events.js'
import { NO_POLICY, wordingOf } from '../model/identity.js'
import type { ModelPayment } from '../model/state.js'
import type { Differences } from './differences.js'
import type { StoredEvent } from './stored-events.js'

/** A key that both sides can build; messages without an index are told apart by their data. */
function keysOf(event: ModelEvent): string[] {
  const { signature, slot, event_name: name, index, data } = event.message
  const place = `${slot} ${signature} ${name}`
  if (name === 'PaymentRecord' && data.payment_policy !== NO_POLICY)
    return [`${place} ${String(data.payment_policy)} ${String(data.record_id)}`]
  if (index !== undefined) return [`${place} ${index}`]
  return [...event.dataTexts].map(dataText => `${place} ${dataText}`)
}

function keysOfStored(stored: StoredEvent): string[] {
  const place = `${stored.slot} ${stored.signature} ${stored.name}`
  if (stored.name === 'PaymentRecord' && stored.paymentPolicy !== NO_POLICY)
    return [`${place} ${stored.paymentPolicy} ${stored.recordId}`]
  return [`${place} ${stored.eventIndex}`, `${place} ${stored.dataText}`]
}

/** @returns the stored row of each event, by the event's identity */
export function compareEvents(
  events: readonly ModelEvent[],
  stored: readonly StoredEvent[],
  payments: readonly ModelPayment[],
  differences: Differences,
): Map<string, StoredEvent> {
  const paymentOf = new Map(payments.map(payment => [payment.identity, payment]))
  const byKey = new Map<string, ModelEvent>()
  for (const event of events) for (const key of keysOf(event)) byKey.set(key, event)
  const found = new Map<string, StoredEvent>()
  for (const row of stored) {
    const event = keysOfStored(row)
      .map(key => byKey.get(key))
      .find(match => match !== undefined)
    if (!event) {
      differences.add('events', `${row.name} ${row.signature} is stored and was never published`)
      continue
    }
    if (found.has(event.identity)) {
      differences.add('events', `${row.name} ${row.signature} is stored twice`)
      continue
    }
    found.set(event.identity, row)
    compareFields(event, row, paymentOf.get(event.identity), differences)
  }
  for (const { identity, message } of events) {
    if (!found.has(identity)) {
      differences.add(
        'events',
        `${message.event_name} ${message.signature} of slot ${message.slot} is not stored`,
      )
    }
  }
  return found
}

function compareFields(
  { message, dataTexts, retracted }: ModelEvent,
  row: StoredEvent,
  payment: ModelPayment | undefined,
  differences: Differences,
): void {
  const where = `${row.name} ${row.signature}`
  const check = (field: string, is: unknown, should: unknown) => {
    if (is !== should)
      differences.add('events', `${where}: ${field} is ${String(is)}; it should be ${String(should)}`)
  }
  check('slot', row.slot, message.slot)
  check('time', row.occurredAtMs, Date.parse(message.timestamp))
  check('index', row.eventIndex, message.index ?? 0)
  if (!dataTexts.has(row.dataText)) differences.add('events', `${where}: data is not as any message wrote it`)
  check('retracted', row.retracted, retracted)
  if (!payment) return
  check('amount', row.amount, String(payment.amount))
  check('gateway', row.gateway, payment.gateway)
  check('tracking ID', row.trackingId, payment.trackingId)
}

/** The wordings that are stored, for what was published in contradiction. */
export function findStoredWordings(
  published: readonly ModelEvent['message'][],
  identityOf: (message: ModelEvent['message']) => string,
  stored: readonly StoredEvent[],
): Map<string, string> {
  const amounts = new Map(
    stored
      .filter(({ name }) => name === 'PaymentRecord')
      .map(row => [
        row.paymentPolicy === NO_POLICY
          ? `event ${row.slot} ${row.signature} ${row.eventIndex} PaymentRecord`
          : `payment ${row.slot} ${row.signature} ${row.paymentPolicy} ${row.recordId}`,
        row.amount,
      ]),
  )
  const wordings = new Map<string, string>()
  for (const message of published) {
    const identity = identityOf(message)
    if (message.event_name === 'PaymentRecord' && amounts.get(identity) === String(message.data.amount)) {
      wordings.set(identity, wordingOf(message))
    }
  }
  return wordings
}
