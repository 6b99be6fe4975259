// A database that lost commits gets another epoch, and everybody is told. Exactly what was declared lost is missing then, and
// comes back: the events up to the last kept position stand where they were, and every later one is stored again.
import type { Entry, Loss } from '../entries.js'
import { followedFrom, namesEpoch, type History } from '../history.js'
import { collect, shortOf, type Add, type Violation } from './violation.js'

type Seen = Entry & { epoch: string; who: string }

export function losses(history: History): Violation[] {
  return collect('what was lost is declared, and everybody is told', add => {
    const { epochs, firstSeen: first } = history
    epochs.forEach((epoch, index) => {
      const before = epochs[index - 1]
      if (before === undefined) return
      const loss = history.losses.findLast(({ at }) => at <= first.get(epoch)!.at)
      if (!loss || loss.at < first.get(before)!.at)
        add(`database ${shortOf(epoch)} came without a loss that was declared`, [
          first.get(before),
          first.get(epoch),
        ])
      else {
        learnedInTime(history, loss, epoch, first.get(epoch)!, add)
        exactlyTheSuffix(history, loss, before, epoch, add)
      }
    })
    noticed(history, add)
    everybody(history, first, add)
    oneDatabase(history, add)
  })
}

/** At rest, each loss has been noticed. */
function noticed({ losses, firstSeen, rest }: History, add: Add): void {
  losses.forEach((loss, index) => {
    const endsAt = losses[index + 1]?.at ?? Infinity
    const isNoticed = [...firstSeen.values()].some(({ at }) => loss.at < at && at < endsAt)
    if (rest && !isNoticed)
      add(`nobody was told that what is behind position ${loss.kept} was lost`, [loss, rest])
  })
}

/** What comes over a connection is of one database: a service that learns of another one ends the connection. */
function oneDatabase({ entries, databaseOf }: History, add: Add): void {
  for (const entry of entries) {
    if (!namesEpoch(entry) || !('connection' in entry)) continue
    const first = databaseOf.get(entry.connection)
    if (first && first.epoch !== entry.epoch)
      add(`${entry.who} was told of two databases over one connection`, [first, entry])
  }
}

/** Nobody is told of the lost past once somebody was told of the new database, and others had time to notice. */
function learnedInTime(history: History, loss: Loss, epoch: string, first: Seen, add: Add): void {
  const known = new Set(history.epochs.slice(0, history.epochs.indexOf(epoch)))
  const endsAt = first.at + history.begin.noticedWithinMs
  for (const entry of history.entries) {
    if (entry.at <= endsAt || !('who' in entry)) continue
    const isPushed = 'connection' in entry && entry.what !== 'ask' && entry.what !== 'lost'
    const seen = namesEpoch(entry) ? entry : isPushed ? history.databaseOf.get(entry.connection) : undefined
    if (seen && known.has(seen.epoch))
      add(`${entry.who} was told of the lost database ${shortOf(seen.epoch)}`, [loss, seen, first, entry])
  }
}

function exactlyTheSuffix(history: History, loss: Loss, before: string, epoch: string, add: Add): void {
  const [old, now] = [before, epoch].map(name => eventsOf(history, name)) as [Events, Events]
  const followed = followedFrom(history, epoch)
  const mustBeThere = history.rest && epoch === history.lastEpoch && followed?.position === 1
  for (const [eventId, { position, seen }] of old) {
    const again = now.get(eventId)
    if (position <= loss.kept && again && again.position !== position)
      add(`event ${eventId} was kept at position ${position} and is at ${again.position} now`, [
        ...seen,
        loss,
        ...again.seen,
      ])
    if (!again && mustBeThere)
      add(`event ${eventId} was at position ${position} and never came back`, [
        ...seen,
        loss,
        ...followed.entries,
        history.rest,
      ])
  }
}

type Events = Map<string, { position: number; seen: Entry[] }>

/** Events of a database by the stream of all events, which tells each of them. */
function eventsOf({ streamed, databaseOf }: History, epoch: string): Events {
  const events: Events = new Map()
  for (const event of streamed) {
    const database = databaseOf.get(event.connection)
    if (database?.epoch === epoch && !events.has(event.eventId))
      events.set(event.eventId, { position: event.position, seen: [database, event] })
  }
  return events
}

/** At rest, whoever is subscribed, reads or follows the stream knows the newest database. */
function everybody(history: History, first: ReadonlyMap<string, Seen>, add: Add): void {
  const { rest, lastEpoch, entries, epochs } = history
  if (!rest || lastEpoch === undefined || epochs.length < 2) return
  const latest = new Map<string, Seen>()
  for (const entry of entries) {
    if (namesEpoch(entry)) latest.set(keyOf(entry), entry)
    if ('via' in entry && entry.via === 'socket' && entry.what === 'lost') latest.delete(keyOf(entry))
  }
  for (const seen of latest.values())
    if (seen.epoch !== lastEpoch)
      add(
        `${seen.who} was never told that database ${shortOf(lastEpoch)} took the place of ${shortOf(seen.epoch)}`,
        [seen, first.get(lastEpoch), rest],
      )
}

const keyOf = (entry: Entry): string =>
  JSON.stringify([
    'who' in entry && entry.who,
    'via' in entry && entry.via,
    'trackingId' in entry && 'via' in entry && entry.via === 'socket' ? entry.trackingId : '',
  ])
