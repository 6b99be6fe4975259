// The end of a run: what is in the stream, given to the model, against everything the system holds and told.
import {
  PROJECTIONS,
  projectionsIn,
  projectionsOf,
  type Projection,
  type Row,
} from '@payment-tracking/testkit/oracle'
import type { CommitChecker } from '../load/commit-checker.js'
import type { Expecter } from '../load/expecter.js'
import type { Publisher } from '../load/publisher.js'
import type { Endpoint } from '../load/receivers.js'
import type { SocketClient } from '../load/socket-client.js'
import type { StreamFollower } from '../load/stream-follower.js'
import { SEATS } from '../system/open-system.js'
import { compareDeliveries, readDeliveries } from './compare-deliveries.js'
import { compareEvents } from './compare-events.js'
import { compareExpectations } from './compare-expectations.js'
import { compareLifecycle } from './compare-lifecycle.js'
import { compareOrder } from './compare-order.js'
import { compareSockets } from './compare-sockets.js'
import { Differences } from './differences.js'
import { readStream, type Expected } from './read-stream.js'
import { readStoredEvents, type StoredEvent } from './stored-events.js'

export interface ObservedRun {
  publisher: Publisher
  expecter: Expecter
  checker: CommitChecker
  endpoints: readonly Endpoint[]
  clients: readonly SocketClient[]
  follower: StreamFollower
  baseUrl: string
  /** whether a standby that lacked commits was promoted */
  promoted: boolean
  /** the last position that it had */
  kept: number
}

export interface Reconciliation {
  differences: string[]
  counts: Record<string, number>
}

export async function reconcile(observed: ObservedRun): Promise<Reconciliation> {
  const { publisher, expecter, checker, endpoints, clients, follower } = observed
  const differences = new Differences()
  const stream = await readJournal(publisher, differences)
  const stored = await readStoredEvents(checker)
  const expected = readStream(stream, stored)
  const { model, letters } = expected
  const { events, finalizedSlot } = model
  const storedOf = compareEvents(expected, stored, differences)
  await compareOrder(checker, stored, finalizedSlot, differences)
  const tables = {} as Record<Projection, Row[]>
  for (const [table, query] of Object.entries(PROJECTIONS))
    tables[table as Projection] = await checker.query<Row>(query)
  const found = projectionsIn(tables)
  for (const [table, rows] of Object.entries(projectionsOf(model)))
    differences.compareMaps(table, rows, found[table as Projection])
  await compareDeadLetters(checker, expected, differences)
  const deliveries = await readDeliveries(checker)
  compareDeliveries(deliveries, endpoints, model.payments, storedOf, differences)
  compareLifecycle({ deliveries, endpoints, model, storedOf }, differences)
  await compareExpectations(checker, { ...observed, deliveries, model, storedOf }, differences)
  const [head] = await checker.query<{ epoch: string }>('select epoch::text from stream_head')
  compareSockets(clients, model.payments, storedOf, SEATS, head!.epoch, differences)
  differences.addAll(compareFollower(follower, stored, observed.kept))
  const gaps = await checker.query('select from_sequence, to_sequence from stream_gaps')
  for (const gap of gaps) differences.add('gaps', `${JSON.stringify(gap)} was not discarded`)
  const left = await checker.query<{ id: string }>(
    'select id::text from ingest_batches where relayed_at is null order by id',
  )
  for (const { id } of left) differences.add('batches', `batch ${id} was not relayed`)
  differences.addAll(await checker.drain())
  return {
    differences: differences.lines,
    counts: {
      published: publisher.asked,
      messages: stream.length,
      events: events.length,
      payments: model.payments.length,
      retracted: events.filter(({ retracted }) => retracted).length,
      expected: expecter.expected.filter(({ id }) => id !== null).length,
      expectedNotices: deliveries.filter(({ type }) => type.startsWith('expectation.')).length,
      deadLetters: letters.length,
      requests: endpoints.reduce((sum, { receiver }) => sum + receiver.requests.length, 0),
    },
  }
}

/** Each refused message once, by its sequence, with its code and its bytes; nothing else. */
async function compareDeadLetters(
  checker: CommitChecker,
  { letters, retracted }: Expected,
  differences: Differences,
): Promise<void> {
  const all = await checker.query<{ sequence: string; code: string; bytes: Buffer; replayed: boolean }>(
    'select stream_sequence::text as sequence, code, bytes, replayed_at is not null as replayed from dead_letters',
  )
  // A transaction that came again before its retraction was a contradiction until then.
  const isTakenIn = ({ code, bytes, replayed }: (typeof all)[number]): boolean =>
    replayed &&
    code === 'CONFLICT' &&
    retracted.has((JSON.parse(bytes.toString()) as { signature: string }).signature)
  const rows = all.filter(row => !isTakenIn(row))
  const describe = (code: string, bytes: Buffer) => `${code} ${bytes.toString('base64')}`
  const short = (lines: Map<string, string>) =>
    new Map([...lines].map(([key, value]) => [key, value.length > 120 ? `${value.slice(0, 120)}…` : value]))
  differences.compareMaps(
    'dead letters',
    short(
      new Map(
        letters.map(({ sequence, code, bytes }) => [String(sequence), describe(code, Buffer.from(bytes))]),
      ),
    ),
    short(new Map(rows.map(({ sequence, code, bytes }) => [sequence, describe(code, bytes)]))),
  )
}

/**
 * Every event once, in the order of commits, however often it was cut off; after a loss of commits what was kept stands where it was.
 * @param kept the last position that was not lost
 */
export function compareFollower(
  { events, lost, problems }: Pick<StreamFollower, 'events' | 'lost' | 'problems'>,
  stored: readonly Pick<StoredEvent, 'id' | 'position'>[],
  kept: number,
): string[] {
  const textOf = (event: { id: string; position: number } | undefined) =>
    event ? `${event.id} at ${event.position}` : 'nothing'
  const compare = (told: StreamFollower['events'], should: typeof stored) => {
    const at = should.findIndex((event, index) => textOf(event) !== textOf(told[index]))
    const wrong = at === -1 ? should.length : at
    return at === -1 && told.length === should.length
      ? []
      : [
          `stream of events: brought ${told.length} of ${should.length} events; number ${wrong + 1} is ${textOf(told[wrong])}, not ${textOf(should[wrong])}`,
        ]
  }
  const before = lost.filter(({ position }) => position <= kept)
  return [...problems, ...compare(events, stored), ...compare(before, stored.slice(0, before.length))]
}

/** The stream as the publisher's own messages; what it acknowledged must be there, and nothing that was not asked. */
async function readJournal(publisher: Publisher, differences: Differences) {
  const { journal } = publisher
  const byBytes = new Map(journal.map(({ message }) => [message.bytes, message]))
  const entries = await publisher.readAll()
  const present = new Map(entries.map(({ sequence, bytes }) => [sequence, bytes]))
  for (const { message, sequence } of journal) {
    if (present.get(sequence) !== message.bytes)
      differences.add('stream', `sequence ${sequence} was acknowledged and is lost`)
  }
  return entries.flatMap(({ sequence, bytes }) => {
    const message = byBytes.get(bytes)
    if (message) return [{ sequence, message }]
    differences.add('stream', `sequence ${sequence} was never published`)
    return []
  })
}
