// What a transaction notifies gateways of, beside payments of its own batch, is written in its last statements.
//
// A sequence is given under the feed's lock, and the lock is held until the commit: so sequences are in the order of commits, and a
// reader that goes on after one skips nothing. Nobody asks for another lock while holding it: there is no deadlock.
import type { DeliveryMessage } from '@payment-tracking/domain'
import { columnTable } from '../database/columns.js'
import { raw, type Tx } from '../database/sql.js'

/** A message as webhooks of a gateway get it, whether it has one or not. */
export interface FeedNote extends DeliveryMessage {
  gateway: string
  /** null for what time causes */
  eventId: string | null
  /** JSON of what an event says of a policy */
  lifecycle?: string | null
}

const notesOf = new WeakMap<Tx, FeedNote[]>()

/** Notes a message for the feed of a gateway: the transaction writes it before it commits. */
export function noteForFeed(tx: Tx, note: FeedNote): void {
  const notes = notesOf.get(tx)
  if (notes) notes.push(note)
  else notesOf.set(tx, [note])
}

/** The gateways whose feeds a transaction goes on with. @param payments of its own batch */
export const feedsOf = (tx: Tx, payments: readonly { gateway: string }[]): string[] => [
  ...new Set([...payments, ...(notesOf.get(tx) ?? [])].map(({ gateway }) => gateway)),
]

/** @returns a function that takes back what was noted since: its cause was undone */
export function markNotes(tx: Tx): () => void {
  const kept = notesOf.get(tx)?.length ?? 0
  return () => void notesOf.get(tx)?.splice(kept)
}

/** The number is arbitrary and unused elsewhere. */
const FEED_LOCK = raw('741120261127')

const NOTES = columnTable<FeedNote & { nth: number }>('m', {
  nth: ['integer', ({ nth }) => nth],
  gateway: ['text', ({ gateway }) => gateway],
  type: ['text', ({ type }) => type],
  message_id: ['text', ({ id }) => id],
  event_id: ['uuid', ({ eventId }) => eventId],
  body: ['text', ({ body }) => body],
  lifecycle: ['json', ({ lifecycle }) => lifecycle ?? null],
})

/**
 * Writes what a transaction noted, as its last statements. Stored messages stay: the keys are those of deliveries. A
 * transaction without notes sends nothing, and takes no lock. SQL: a lock, and a position that is read in the statement.
 */
export async function writeFeed(tx: Tx): Promise<void> {
  const notes = notesOf.get(tx) ?? []
  if (notes.length === 0) return
  notesOf.delete(tx)
  await tx.$executeRaw`select pg_advisory_xact_lock(${FEED_LOCK})`
  await tx.$executeRaw`
    insert into feed_messages (gateway, position, type, message_id, event_id, body, lifecycle)
    select m.gateway, h.position, m.type, m.message_id, m.event_id, m.body, m.lifecycle
      from ${NOTES.listOf(notes.map((note, nth) => ({ ...note, nth })))} join stream_head h on h.id = 1
     order by m.nth
    on conflict do nothing`
}
