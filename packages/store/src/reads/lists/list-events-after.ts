import { allOf, sql, type Store } from '../../core/database/sql.js'
import { LISTS_BEGIN } from '../../core/tables/lists-begin.js'
import { eventConditions, type EventFilter } from './event-filter.js'
import { eventRecordText, type RecordOptions } from './record-text.js'

/** An event of the stream: its record as JSON text, its commit position, and the fields that filters need. */
export interface StreamEvent {
  record: string
  position: bigint
  slot: number
  signature: string
  name: string
  /** time on the chain */
  occurredAt: Date
  trackingId: string | null
  gateway: string | null
  paymentPolicy: string | null
}

/** After one commit position, up to and including another. */
export interface EventRange {
  after: bigint
  upTo: bigint
  limit: number
}

/**
 * The events that pass a filter and committed after one position up to another, in commit order.
 * Relies on events_position_key: it reads the whole range of positions, so keep the range short.
 */
export async function listEventsAfter(
  { database }: Store,
  range: EventRange,
  tokens: RecordOptions['tokens'],
  filter: EventFilter = {},
): Promise<readonly StreamEvent[]> {
  const conditions = [
    sql`position > ${range.after} and position <= ${range.upTo}`,
    // A retracted event keeps its place in the stream and is marked.
    ...eventConditions({ ...filter, retracted: true }),
    // What came late for an archived month is in the stream until it is archived too: the stream skips nothing.
    sql`(e.occurred_at >= ${LISTS_BEGIN} or e.position > (select archived_position from stream_head))`,
  ]
  const { unchanging, changing } = eventRecordText({ tokens })
  return database.read<StreamEvent>(sql`
    select ${unchanging} || ${changing} as record, e.position, e.slot::float8 as slot, e.signature, e.name,
           e.occurred_at as "occurredAt", e.tracking_id as "trackingId", e.gateway, e.payment_policy as "paymentPolicy"
      from events e
     where ${allOf(conditions)}
     order by position
     limit ${range.limit}`)
}
