import type { Store } from '../database/open-store.js'
import { sql } from '../database/sql.js'
import { allOf, eventConditions, type EventFilter } from './event-filter.js'
import { EVENT_COLUMNS, toStoredEvent, type EventRow, type StoredEvent } from './list-events.js'

/** An event of the stream: its commit position, and the fields that filters need. */
export interface StreamEvent extends StoredEvent {
  position: bigint
  trackingId: string | null
  gateway: string | null
  paymentPolicy: string | null
}

/** The present end of the stream, and its database. */
export interface StreamHead {
  epoch: string
  position: bigint
}

/** After one commit position, up to and including another. */
export interface EventRange {
  after: bigint
  upTo: bigint
  limit: number
}

/** Relies on the one row of stream_head; does not wait for ingest, which locks it. */
export async function readStreamHead({ database }: Store): Promise<StreamHead> {
  const [head] = await database.read<StreamHead>(sql`select epoch::text as epoch, position from stream_head`)
  return head!
}

/**
 * The events that pass a filter and committed after one position up to another, in commit order.
 * Relies on events_position_key: it reads the whole range of positions, so keep the range short.
 */
export async function listEventsAfter(
  { database }: Store,
  range: EventRange,
  filter: EventFilter = {},
): Promise<StreamEvent[]> {
  const conditions = [
    sql`position > ${range.after} and position <= ${range.upTo}`,
    // A retracted event keeps its place in the stream and is marked.
    ...eventConditions({ ...filter, retracted: true }),
  ]
  const rows = await database.read<EventRow & Omit<StreamEvent, keyof StoredEvent>>(sql`
    select ${EVENT_COLUMNS}, e.position, e.gateway, e.payment_policy as "paymentPolicy"
      from events e
     where ${allOf(conditions)}
     order by position
     limit ${range.limit}`)
  return rows.map(row => ({
    ...toStoredEvent(row),
    position: row.position,
    trackingId: row.trackingId,
    gateway: row.gateway,
    paymentPolicy: row.paymentPolicy,
  }))
}
