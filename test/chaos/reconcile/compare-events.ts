// Events one by one: each that was published is stored once, as it was said, and nothing else is.
import type { ModelEvent } from '../model/events.js'
import { wordingOf } from '../model/identity.js'
import { trackingIdOf } from '../model/memo.js'
import type { Differences } from './differences.js'
import type { StoredEvent } from './stored-events.js'

/** A key that both sides can build; messages without an index are told apart by their data. */
function keysOf(event: ModelEvent): string[] {
  const { signature, event_name: name, index, data } = event.message
  if (name === 'PaymentRecord')
    return [`${signature} ${String(data.payment_policy)} ${String(data.record_id)}`]
  if (index !== undefined) return [`${signature} ${name} ${index}`]
  return [...event.dataTexts].map(dataText => `${signature} ${name} ${dataText}`)
}

export function keyOfStored(stored: StoredEvent): string[] {
  if (stored.name === 'PaymentRecord') {
    return [`${stored.signature} ${stored.paymentPolicy} ${stored.recordId}`]
  }
  return [
    `${stored.signature} ${stored.name} ${stored.eventIndex}`,
    `${stored.signature} ${stored.name} ${stored.dataText}`,
  ]
}

/** @returns the stored row of each event, by the event's identity */
export function compareEvents(
  events: readonly ModelEvent[],
  stored: readonly StoredEvent[],
  differences: Differences,
): Map<string, StoredEvent> {
  const byKey = new Map<string, ModelEvent>()
  for (const event of events) for (const key of keysOf(event)) byKey.set(key, event)
  const found = new Map<string, StoredEvent>()
  for (const row of stored) {
    const event = keyOfStored(row)
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
    compareFields(event, row, differences)
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

function compareFields({ message, dataTexts }: ModelEvent, row: StoredEvent, differences: Differences): void {
  const { data } = message
  const where = `${row.name} ${row.signature}`
  const check = (field: string, is: unknown, should: unknown) => {
    if (is !== should)
      differences.add('events', `${where}: ${field} is ${String(is)}; it should be ${String(should)}`)
  }
  check('slot', row.slot, message.slot)
  check('time', row.occurredAtMs, Date.parse(message.timestamp))
  check('index', row.eventIndex, message.index ?? 0)
  if (!dataTexts.has(row.dataText)) differences.add('events', `${where}: data is not as any message wrote it`)
  if (row.name !== 'PaymentRecord') return
  check('amount', row.amount, String(data.amount))
  check('gateway', row.gateway, data.gateway)
  check('tracking ID', row.trackingId, trackingIdOf(data.memo))
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
      .map(row => [`payment ${row.signature} ${row.paymentPolicy} ${row.recordId}`, row.amount]),
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
