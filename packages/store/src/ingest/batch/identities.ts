// Decides which messages are new, which repeat a stored event, and which contradict a stored event.
//
// At most one event of an identity is valid. The other events of the identity were retracted, each in a different slot.
// The first stored event has the id of the identity; later events have an id that also names their slot. A message is
// compared with the event of its own slot. Without such an event, the message contradicts the valid event, unless
// the message's own transaction was retracted.
import { bigints, hidden, sql, type Tx } from '../../core/database/sql.js'
import { idInSlot, orderOf, type ChainEvent, type RetractedTransaction } from '@payment-tracking/domain'
import type { NewEvent, ReceivedMessage, RefusedMessage } from './batch.js'

/** The fields of a stored event that decide whether a message agrees with the event. */
export interface StoredIdentity extends Pick<ChainEvent, IdentityField> {
  retracted: boolean
}
type IdentityField = 'id' | 'signature' | 'slot' | 'transactionIndex' | 'index' | 'fingerprint' | 'commitment'

/** A `StoredIdentity`. */
const IDENTITY_COLUMNS = sql`
  id, signature, slot::float8 as slot, transaction_index::float8 as "transactionIndex", event_index::float8 as index,
  fingerprint, commitment, retracted_at is not null as retracted`

/** The stored events among these events: one probe of the primary key each. */
export async function readIdentities(tx: Tx, events: readonly ChainEvent[]): Promise<StoredIdentity[]> {
  if (events.length === 0) return []
  const ids = events.map(({ id }) => id)
  return tx.$queryRaw<StoredIdentity[]>`
    select ${IDENTITY_COLUMNS} from events where id = any(${hidden(sql`${ids}::uuid[]`)}::uuid[])`
}

/** All stored events of some transactions; relies on events_signature_hash. */
const readTransactions = (tx: Tx, signatures: readonly string[]): Promise<StoredIdentity[]> =>
  tx.$queryRaw<StoredIdentity[]>`
    select ${IDENTITY_COLUMNS} from events where signature = any(${[...signatures]}::text[])`

/** The retracted transactions of the slots of some events. Relies on the primary key of retractions. */
export async function readRetractions(
  tx: Tx,
  events: readonly ChainEvent[],
): Promise<RetractedTransaction[]> {
  if (events.length === 0) return []
  const slots = [...new Set(events.map(({ slot }) => slot))]
  return tx.$queryRaw<RetractedTransaction[]>`
    select signature, slot::float8 as slot from retractions where slot = any(${bigints(slots)})`
}

/** The additions of agreeing copies to a stored event. */
export interface Correction {
  id: string
  /** a copy said that the event is final */
  finalized: boolean
  /** the chain position, where a copy knows it better: an unknown number is 0 */
  transactionIndex: number
  index: number
  /** the chain position before, of an event that moved; null for one that does not move */
  movedFrom: { transactionIndex: number; index: number } | null
}

export interface Resolved {
  fresh: NewEvent[]
  conflicts: RefusedMessage[]
  corrections: Correction[]
  duplicateCount: number
}

/** An event of an identity: stored, or new in this batch. */
interface IdentityEvent extends StoredIdentity {
  /** new in this batch */
  event?: NewEvent
}

const transactionKey = ({ signature, slot }: RetractedTransaction): string => `${slot} ${signature}`

/** Names each field: a copy of all fields of the event would cost more than everything else here. */
const toIdentityEvent = (fresh: NewEvent): IdentityEvent => {
  const { id, signature, slot, transactionIndex, index, fingerprint, commitment } = fresh.event
  const { retracted } = fresh
  return { id, signature, slot, transactionIndex, index, fingerprint, commitment, retracted, event: fresh }
}

/**
 * Sorts the messages of a batch, in their order.
 * @param stored the result of `readIdentities`
 * @param retractions the result of `readRetractions`
 */
export async function resolveIdentities(
  tx: Tx,
  received: readonly ReceivedMessage[],
  stored: readonly StoredIdentity[],
  retractions: readonly RetractedTransaction[],
): Promise<Resolved> {
  const retracted = new Set(retractions.map(transactionKey))
  const wasRetracted = (event: ChainEvent): boolean =>
    retracted.size > 0 && retracted.has(transactionKey(event))
  const byId = new Map(stored.map(row => [row.id, row]))
  // Only a retracted identity can have more than one event: the stored event, or the event of the message's slot. The
  // latter may have another id when the transaction's second appearance came first.
  const reappearing = [
    ...new Set([
      ...stored.filter(row => row.retracted).map(row => row.signature),
      ...received.filter(({ event }) => wasRetracted(event)).map(({ event }) => event.signature),
    ]),
  ]
  const siblings = reappearing.length === 0 ? [] : await readTransactions(tx, reappearing)
  const eventsByIdentity = new Map<string, IdentityEvent[]>()
  const eventsOf = (event: ChainEvent): IdentityEvent[] => {
    const known = eventsByIdentity.get(event.id)
    if (known) return known
    const own = byId.get(event.id)
    const found: IdentityEvent[] = own ? [own] : []
    for (const row of siblings) if (row.id === idInSlot(event.id, row.slot)) found.push(row)
    eventsByIdentity.set(event.id, found)
    return found
  }

  const corrections = new Map<string, Correction>()
  const resolved: Resolved = { fresh: [], conflicts: [], corrections: [], duplicateCount: 0 }
  for (const message of received) {
    const { event, streamSequence, subject, bytes } = message
    const of = eventsOf(event)
    const same = of.find(({ slot }) => slot === event.slot)
    const isRetracted = wasRetracted(event)
    if (same !== undefined && same.fingerprint === event.fingerprint) {
      resolved.duplicateCount += 1
      correct(same, event, corrections)
    } else if (same !== undefined || (!isRetracted && of.some(each => !each.retracted))) {
      const reason = `event ${event.id} is stored already with other data, slot or timestamp`
      const { signature } = event
      resolved.conflicts.push({ streamSequence, subject, code: 'CONFLICT', reason, bytes, signature })
    } else {
      const id = of.some(each => each.id === event.id) ? idInSlot(event.id, event.slot) : event.id
      const fresh: NewEvent = {
        event: id === event.id ? event : { ...event, id, order: orderOf(event, id) },
        streamSequence,
        retracted: isRetracted,
      }
      of.push(toIdentityEvent(fresh))
      resolved.fresh.push(fresh)
    }
  }
  resolved.corrections = [...corrections.values()]
  return resolved
}

/**
 * Takes over the better values of a copy. The order of copies does not matter: the larger number wins.
 * @param corrections one for each stored event, for any number of copies
 */
function correct(current: IdentityEvent, event: ChainEvent, corrections: Map<string, Correction>): void {
  const transactionIndex = Math.max(current.transactionIndex, event.transactionIndex)
  const index = Math.max(current.index, event.index)
  const moved = transactionIndex !== current.transactionIndex || index !== current.index
  const finalized = event.commitment === 'finalized' && current.commitment !== 'finalized'
  if (!moved && !finalized) return
  const chainPosition = { transactionIndex: current.transactionIndex, index: current.index }
  Object.assign(current, { transactionIndex, index })
  if (finalized) current.commitment = 'finalized'
  const fresh = current.event
  if (fresh) {
    const { id, commitment, slot } = fresh.event
    fresh.event = {
      ...fresh.event,
      transactionIndex,
      index,
      commitment: finalized ? 'finalized' : commitment,
      order: orderOf({ slot, transactionIndex, index }, id),
    }
    return
  }
  const { id } = current
  const before = corrections.get(id)
  corrections.set(id, {
    id,
    transactionIndex,
    index,
    finalized: finalized || (before?.finalized ?? false),
    movedFrom: before?.movedFrom ?? (moved ? chainPosition : null),
  })
}
