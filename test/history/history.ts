// A history with what follows from it directly: which database each connection spoke of, and who told which payment.
import { readFileSync } from 'node:fs'
import type {
  Begin,
  Entry,
  FollowStream,
  Loss,
  Publish,
  Push,
  Read,
  ReadAnswer,
  Rest,
  StreamedEvent,
  StreamHead,
  Subscribe,
  Subscribed,
  SentPayment,
  WebhookRequest,
} from './entries.js'

/** The `since` of a stream of all events. */
const FROM_THE_FIRST = '0'

/** Somebody was told that a payment has a number, in the database that this epoch names. */
export interface Fact {
  epoch: string
  trackingId: string
  seq: number
  eventId: string
  position: number | undefined
  at: number
  /** The entry that tells it, and the one that says which database it is of. */
  seen: Entry[]
}

export class History {
  readonly begin: Begin
  readonly rest: Rest | undefined
  readonly losses: readonly Loss[]
  /** Epochs, in the order in which somebody was first told of them. */
  readonly epochs: readonly string[]
  readonly subscribes = new Map<number, Subscribe>()
  readonly reads = new Map<number, Read>()
  /** Of each connection of a socket or a stream, the first entry that names its database. */
  readonly databaseOf = new Map<number, Entry & { epoch: string; who: string }>()
  readonly facts: readonly Fact[]
  readonly streamed: readonly StreamedEvent[]
  readonly requests: readonly WebhookRequest[]
  /** The first entry that tells of each database. */
  readonly firstSeen = new Map<string, Entry & { epoch: string; who: string }>()

  constructor(readonly entries: readonly Entry[]) {
    const [begin] = entries
    if (begin?.what !== 'begin') throw new Error('a history begins with what was promised')
    this.begin = begin
    this.rest = entries.find(entry => entry.what === 'rest')
    this.losses = entries.filter(entry => entry.what === 'loss')
    for (const entry of entries) {
      if (!('via' in entry)) continue
      if (entry.via === 'socket' && entry.what === 'ask') this.subscribes.set(entry.op, entry)
      if (entry.via === 'rest' && entry.what === 'ask') this.reads.set(entry.op, entry)
      if (!namesEpoch(entry)) continue
      if (!this.firstSeen.has(entry.epoch)) this.firstSeen.set(entry.epoch, entry)
      if ('connection' in entry && !this.databaseOf.has(entry.connection))
        this.databaseOf.set(entry.connection, entry)
    }
    this.epochs = [...this.firstSeen.keys()]
    this.streamed = entries.filter(isStreamedEvent)
    this.requests = entries.filter(isWebhookRequest)
    this.facts = entries.flatMap(entry => this.#factsIn(entry))
  }

  /** The newest database that anybody was told of. */
  get lastEpoch(): string | undefined {
    return this.epochs.at(-1)
  }

  #factsIn(entry: Entry): Fact[] {
    if (!('via' in entry)) return []
    if (isSubscribed(entry) && entry.epoch !== undefined)
      return (entry.replay ?? []).map(payment => factOf(payment, entry.trackingId, entry.epoch!, [entry]))
    if (isReadAnswer(entry) && entry.epoch !== undefined) {
      const trackingId = this.reads.get(entry.op)?.trackingId
      if (trackingId === undefined) return []
      const { epoch, payments = [] } = entry
      return payments.map(payment => factOf(payment, trackingId, epoch, [entry]))
    }
    const isPushed = isPush(entry) || isStreamedEvent(entry)
    if (!isPushed || entry.seq === undefined || entry.trackingId === undefined) return []
    const database = this.databaseOf.get(entry.connection)
    if (!database) return []
    const { seq, eventId, position, trackingId } = entry
    return [
      factOf(
        { seq, eventId, ...(position !== undefined && { position }) },
        trackingId,
        database.epoch,
        [database, entry],
        entry.at,
      ),
    ]
  }
}

const factOf = (
  { seq, eventId, position }: SentPayment,
  trackingId: string,
  epoch: string,
  seen: Entry[],
  at = seen[0]!.at,
): Fact => ({ epoch, trackingId, seq, eventId, position, at, seen })

/** An answer, or the head of a stream, that says which database it is of. */
export const namesEpoch = (
  entry: Entry,
): entry is (Subscribed | StreamHead | ReadAnswer) & { epoch: string } =>
  'epoch' in entry && entry.epoch !== undefined && entry.what !== 'ask'

const isSubscribed = (entry: Entry): entry is Subscribed =>
  'via' in entry && entry.via === 'socket' && entry.what === 'answer'
export const isPush = (entry: Entry): entry is Push =>
  'via' in entry && entry.via === 'socket' && (entry.what === 'payment' || entry.what === 'retraction')
export const isStreamedEvent = (entry: Entry): entry is StreamedEvent =>
  'via' in entry && entry.via === 'stream' && entry.what === 'event'
const isWebhookRequest = (entry: Entry): entry is WebhookRequest =>
  'via' in entry && entry.via === 'webhook' && entry.what === 'request'
export const isReadAnswer = (entry: Entry): entry is ReadAnswer =>
  'via' in entry && entry.via === 'rest' && entry.what === 'answer'
export const isPublish = (entry: Entry): entry is Publish =>
  'via' in entry && entry.via === 'queue' && entry.what === 'ask'

/**
 * The position from which on somebody follows the stream of a database, and the entries that say so; undefined when nobody
 * does.
 */
export function followedFrom(
  { entries, databaseOf }: History,
  epoch: string,
): { position: number; entries: Entry[] } | undefined {
  let first: { position: number; entries: Entry[] } | undefined
  const asks = new Map<number, FollowStream>()
  for (const entry of entries) {
    if (!('via' in entry) || entry.via !== 'stream') continue
    if (entry.what === 'ask') asks.set(entry.connection, entry)
    const asked = asks.get(entry.connection)
    if (entry.what !== 'head' || !asked || databaseOf.get(entry.connection)?.epoch !== epoch) continue
    const position = startOf(asked, entry)
    if (position !== undefined && position < (first?.position ?? Infinity))
      first = { position, entries: [asked, entry] }
  }
  return first
}

/** Where a stream begins that does not go on from a cursor. */
export function startOf({ since }: FollowStream, head: StreamHead): number | undefined {
  if (since === undefined) return head.position + 1
  return since === FROM_THE_FIRST ? 1 : undefined
}

/** @returns the entries of a file that a recorder wrote; that of an hour is larger than a string can be */
export function readEntries(file: string): Entry[] {
  const bytes = readFileSync(file)
  const entries: Entry[] = []
  for (let start = 0; start < bytes.length;) {
    const newline = bytes.indexOf('\n', start)
    const end = newline < 0 ? bytes.length : newline
    if (end > start) entries.push(JSON.parse(bytes.toString('utf8', start, end)) as Entry)
    start = end + 1
  }
  return entries
}
