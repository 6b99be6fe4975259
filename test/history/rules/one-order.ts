// Each tracking ID has one order of payments: in one database, a `seq` means one payment for everybody, and a payment has
// one `seq` and one place in the stream of events. The order of `seq` is the order of commits.
import type { Entry, StreamedEvent } from '../entries.js'
import type { Fact, History } from '../history.js'
import { collect, shortOf, type Add, type Violation } from './violation.js'

export function oneOrder(history: History): Violation[] {
  return collect('one order of payments for everybody', add => {
    const numbers = new Map<string, Fact>()
    const payments = new Map<string, Fact>()
    for (const fact of history.facts) {
      const { epoch, trackingId, seq, eventId } = fact
      const first = getOrSet(numbers, `${epoch} ${seq} ${trackingId}`, fact)
      if (first.eventId !== eventId)
        add(`seq ${seq} of ${trackingId} is two payments in database ${shortOf(epoch)}`, [
          ...first.seen,
          ...fact.seen,
        ])
      const other = getOrSet(payments, `${epoch} ${eventId}`, fact)
      if (other.seq !== seq || other.trackingId !== trackingId)
        add(`payment ${eventId} has two numbers in database ${shortOf(epoch)}`, [...other.seen, ...fact.seen])
    }
    onePosition(history, add)
    inOrderOfCommits(history, add)
  })
}

function onePosition(history: History, add: Add): void {
  const positions = new Map<string, { eventId: string; seen: Entry[] }>()
  const events = new Map<string, { position: number; seen: Entry[] }>()
  for (const { epoch, position, eventId, seen } of positionsIn(history)) {
    const at = getOrSet(positions, `${epoch} ${position}`, { eventId, seen })
    if (at.eventId !== eventId)
      add(`position ${position} is two events in database ${shortOf(epoch)}`, [...at.seen, ...seen])
    const of = getOrSet(events, `${epoch} ${eventId}`, { position, seen })
    if (of.position !== position)
      add(`event ${eventId} has two positions in database ${shortOf(epoch)}`, [...of.seen, ...seen])
  }
}

function* positionsIn({ facts, streamed, databaseOf }: History) {
  for (const { epoch, position, eventId, seen } of facts)
    if (position !== undefined) yield { epoch, position, eventId, seen }
  for (const event of streamed) {
    const database = databaseOf.get(event.connection)
    if (database)
      yield {
        epoch: database.epoch,
        position: event.position,
        eventId: event.eventId,
        seen: [database, event] as Entry[],
      }
  }
}

/**
 * A PaymentRecord has its tracking ID from the beginning, so its `seq` follows the stream of events. The execution of a
 * composable policy may get one later, when the policy's Created event is stored.
 */
function inOrderOfCommits({ streamed, databaseOf }: History, add: Add): void {
  const byTracking = new Map<string, StreamedEvent[]>()
  for (const event of streamed) {
    const epoch = databaseOf.get(event.connection)?.epoch
    if (event.name !== 'PaymentRecord' || event.seq === undefined || epoch === undefined) continue
    getOrSet(byTracking, `${epoch} ${event.trackingId}`, []).push(event)
  }
  for (const events of byTracking.values()) {
    events.sort((a, b) => a.position - b.position)
    events.forEach((event, at) => {
      const before = events[at - 1]
      if (before && before.position < event.position && before.seq! >= event.seq!)
        add(`seq ${event.seq} of ${event.trackingId} was stored behind seq ${before.seq}`, [
          databaseOf.get(before.connection),
          databaseOf.get(event.connection),
          before,
          event,
        ])
    })
  }
}

function getOrSet<Value>(map: Map<string, Value>, key: string, value: Value): Value {
  const known = map.get(key)
  if (known === undefined) map.set(key, value)
  return known ?? value
}
