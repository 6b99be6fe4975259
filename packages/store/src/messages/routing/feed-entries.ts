// What happened at a gateway in the order in which it was stored: valid payments, and what events said of policies. With
// it, whoever was not notified then is notified later.
import { CHAIN_LIFECYCLE_TYPES, PAYMENT_MESSAGE_TYPE } from '@payment-tracking/domain'
import { runIn } from '../../core/database/database.js'
import { sql, type Sql, type Tx } from '../../core/database/sql.js'
import { placedOf } from '../../core/tables/messages.js'
import { toLifecycle, type StoredLifecycle, type WaitingMessage } from '../waiting/waiting-messages.js'

/** The key of a page in that order. */
export interface FeedPosition {
  position: bigint
  /** 0 of a payment in its own place, which comes before the rest of its position */
  sequence: bigint
}

/** As the message waits for a webhook. A payment has neither life cycle nor body: its details are read when it is sent. */
export interface FeedEntry extends Omit<WaitingMessage, 'webhookId' | 'waitsFor'> {
  eventId: string
  slot: number
  at: FeedPosition
  /** not of an event that was taken back */
  isNotified: boolean
}

interface FeedRow extends Omit<FeedEntry, 'slot' | 'lifecycle' | 'at'>, FeedPosition {
  slot: bigint
  lifecycle: StoredLifecycle | null
}

/** What is told again: payments, and what events said of policies. A retraction is not, and neither is what time caused. */
const IS_TOLD_AGAIN = sql`(m.type = ${PAYMENT_MESSAGE_TYPE} or m.lifecycle is not null)`

const part = (range: Sql, limit: number): Sql => sql`
  (select * from messages m where ${range} order by m.position, m.sequence limit ${limit})`

/**
 * The next entries of a gateway after a key, up to a position. Relies on messages_payments and messages_replayed: a page costs the
 * same whatever else a gateway has. What types leave out is passed over.
 */
export function readFeedEntries(
  tx: Tx,
  gateway: string,
  of: { after: FeedPosition; last: bigint; types: readonly string[]; limit: number },
): Promise<FeedEntry[]> {
  const { after, last, types, limit } = of
  const payments = sql`${placedOf(gateway)} and m.position > ${after.position} and m.position <= ${last}`
  const others = sql`
    m.gateway = ${gateway} and m.position <= ${last} and m.sequence > 0 and m.event_id is not null and (m.position, m.sequence) > (${after.position}, ${after.sequence})
    and m.type = any(${[...types]}::text[]) and ${IS_TOLD_AGAIN}`
  const parts = types.includes(PAYMENT_MESSAGE_TYPE)
    ? sql`${part(payments, limit)} union all ${part(others, limit)}`
    : part(others, limit)
  return readEntries(tx, parts, limit)
}

/** The entries that some events are: payments, or what they said of policies. Relies on the key of messages and messages_event_key. */
export const readFeedEntriesOf = (
  tx: Tx,
  gateway: string,
  eventIds: readonly string[],
): Promise<FeedEntry[]> =>
  readEntries(
    tx,
    sql`
    select m.* from events e join messages m on m.id = e.position and m.gateway = ${gateway}
     where e.id = any(${[...eventIds]}::uuid[])
    union all
    select * from messages m
     where m.event_id = any(${[...eventIds]}::uuid[]) and m.gateway = ${gateway} and m.position is not null
       and m.sequence is distinct from 0 and ${IS_TOLD_AGAIN}`,
    eventIds.length * MOST_OF_AN_EVENT,
  )

/** One message of a type. */
const MOST_OF_AN_EVENT = CHAIN_LIFECYCLE_TYPES.length + 1

async function readEntries(tx: Tx, entries: Sql, limit: number): Promise<FeedEntry[]> {
  const rows = await runIn(tx)<FeedRow>(sql`
    select n.position, n.sequence, n.event_id as "eventId", e.slot, e.payment_policy as policy, n.type, n.lifecycle,
           case when n.lifecycle is null then n.event_id::text else n.message_id end as "messageId",
           case when n.lifecycle is not null then n.body end as body, e.retracted_at is null as "isNotified"
      from (${entries}) n join events e on e.id = n.event_id
     order by n.position, n.sequence limit ${limit}`)
  return rows.map(({ position, sequence, slot, lifecycle, ...row }) => ({
    ...row,
    at: { position, sequence },
    slot: Number(slot),
    lifecycle: lifecycle && toLifecycle(lifecycle),
  }))
}
