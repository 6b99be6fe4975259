// The stream of all events tells each event once, in the order of commits: a stream begins after its cursor, and each event
// is one position further. At rest it told of everything that anybody was told of, and of everything that was acknowledged.
import type { Entry, FollowStream, Publish, StreamedEvent, StreamHead } from '../entries.js'
import { followedFrom, isPublish, isStreamedEvent, startOf, type History } from '../history.js'
import { collect, shortOf, type Add, type Violation } from './violation.js'

export function stream(history: History): Violation[] {
  return collect('the stream of events holds each event once', add => {
    inOrder(history, add)
    everything(history, add)
    acknowledged(history, add)
  })
}

function inOrder({ entries }: History, add: Add): void {
  const asks = new Map<number, FollowStream>()
  /** Per connection, what comes next, and the entries that say so. */
  const next = new Map<number, { position: number; entries: Entry[] }>()
  const cursors = new Map<string, StreamedEvent | StreamHead>()
  for (const entry of entries) {
    if (!('via' in entry) || entry.via !== 'stream') continue
    if (entry.what === 'ask') asks.set(entry.connection, entry)
    else if (entry.what === 'head') {
      const asked = asks.get(entry.connection)
      if (!asked) continue
      if (asked.since === undefined) cursors.set(entry.cursor, entry)
      const last = cursors.get(asked.since ?? '')
      const position = startOf(asked, entry) ?? (last && last.position + 1)
      if (position !== undefined)
        next.set(entry.connection, { position, entries: [...(last ? [last] : []), asked, entry] })
    } else {
      const expected = next.get(entry.connection)
      if (expected && entry.position !== expected.position)
        add(
          entry.position > expected.position
            ? `${entry.who} was not told of position ${expected.position}`
            : `${entry.who} was told of position ${entry.position} again`,
          [...expected.entries, entry],
        )
      next.set(entry.connection, { position: entry.position + 1, entries: [entry] })
      cursors.set(entry.cursor, entry)
    }
  }
}

/** At rest, whoever follows the stream knows every payment that anybody was told of. */
function everything(history: History, add: Add): void {
  const { rest, lastEpoch, facts, streamed, databaseOf } = history
  const followed = lastEpoch === undefined ? undefined : followedFrom(history, lastEpoch)
  if (!rest || !followed) return
  const seen = new Set(
    streamed
      .filter(({ connection }) => databaseOf.get(connection)?.epoch === lastEpoch)
      .map(({ eventId }) => eventId),
  )
  for (const { epoch, eventId, position = followed.position, seen: entries } of facts)
    if (epoch === lastEpoch && !seen.has(eventId) && position >= followed.position)
      add(`the stream of database ${shortOf(epoch)} never told of event ${eventId}`, [
        ...entries,
        ...followed.entries,
        rest,
      ])
}

/** What the indexer was told is kept comes out, and nothing comes out that the indexer did not publish before. */
function acknowledged(history: History, add: Add): void {
  const { rest, entries, streamed, epochs } = history
  const followed = epochs.map(epoch => followedFrom(history, epoch)).find(each => each !== undefined)
  if (!followed) return
  const nameOf = ({ name, signature }: Publish | StreamedEvent) => `${name} ${signature}`
  const asks = new Map<number, Publish>()
  const published = new Set<string>()
  const kept: [Publish, Entry][] = []
  for (const entry of entries) {
    if (isPublish(entry) && entry.kind === 'event') {
      asks.set(entry.op, entry)
      published.add(nameOf(entry))
    } else if ('via' in entry && entry.via === 'queue' && entry.what === 'answer') {
      const ask = asks.get(entry.op)
      if (ask) kept.push([ask, entry])
    } else if (isStreamedEvent(entry) && !published.has(nameOf(entry)))
      add(`event ${entry.eventId} was told before anybody published it`, [...followed.entries, entry])
  }
  if (!rest) return
  const seen = new Set(streamed.map(nameOf))
  const [, head] = followed.entries
  for (const [ask, answer] of kept)
    if (ask.at > head!.at && !seen.has(nameOf(ask)))
      add(`${nameOf(ask)} was acknowledged and never stored`, [...followed.entries, ask, answer, rest])
}
