import { allOf, sql, type Sql, type Store } from '../../core/database/sql.js'
import type { EventKey, EventOrder } from '../cursors.js'
import { readRecordPage, type RecordPage } from './read-record-page.js'
import { walkConditions, walkOrder, type KeyWalk } from './walk-key.js'
import { IS_IN_LISTS, IS_NOT_ARCHIVED, LISTS_BEGIN } from '../../core/tables/lists-begin.js'
import { eventRecordText, type RecordOptions } from './record-text.js'
import { eventConditions, pageOf, type EventFilter } from './event-filter.js'

export interface EventPage {
  limit: number
  offset: number
  /** only events that come after this event in the list */
  after?: EventKey | undefined
}

const isGiven = (value: unknown): boolean => value !== undefined

/**
 * Newest first by (time, slot, index, id). A list with slot bounds and nothing else is newest first by (slot,
 * time, index, id), the same order wherever time does not run against slots: an index can end such a list
 * early, whatever part of the chain it asks for.
 */
export function eventOrderOf(filter: EventFilter): EventOrder {
  const { minSlot, maxSlot, retracted: _retracted, ...others } = filter
  const bounded = isGiven(minSlot) || isGiven(maxSlot)
  return bounded && !Object.values(others).some(isGiven) ? 'slot' : 'time'
}

const after = (order: EventOrder, { occurredAt, slot, index, id }: EventKey): Sql =>
  order === 'slot'
    ? sql`(slot, occurred_at, event_index, id) < (${BigInt(slot)}, ${occurredAt}::timestamptz, ${BigInt(index)}, ${id}::uuid)`
    : sql`(occurred_at, slot, event_index, id) < (${occurredAt}::timestamptz, ${BigInt(slot)}, ${BigInt(index)}, ${id}::uuid)`

/** With `e.`: a bare name means the column of the answer, which no index knows. */
const ORDERS: Record<EventOrder, Sql> = {
  time: sql`e.occurred_at desc, e.slot desc, e.event_index desc, e.id desc`,
  slot: sql`e.slot desc, e.occurred_at desc, e.event_index desc, e.id desc`,
}

/**
 * Whether a list in the order of slots shows an event `e`. The list ends at the slot of the first event in lists, so its last page
 * reads nothing of what was archived below. On a chain, time does not run against slots.
 */
const IS_IN_SLOT_LISTS = sql`${IS_NOT_ARCHIVED} and (e.slot, e.occurred_at) >= ((
  select case when lists_begin = '-infinity' then -1
              else coalesce((select slot from events where occurred_at >= lists_begin order by occurred_at, slot limit 1),
                            9223372036854775807) end
    from stream_head), '-infinity'::timestamptz)`

const KEYS = { trackingId: 'tracking_id', paymentPolicy: 'payment_policy', gateway: 'gateway' } as const

/** Filters beside a key that nearly all its events pass, or that bound the walk. */
const WALKED: ReadonlySet<string> = new Set(['payments', 'retracted', 'startTime', 'endTime'])

/**
 * The walk of a list that has one key and no filter that another index could find faster; null for other lists. Other
 * lists rely on what Postgres expects of their filters.
 */
function walkOf(filter: EventFilter, { after: last }: EventPage): KeyWalk | null {
  const { name, ...others } = filter
  const given = Object.entries(others).filter(([, value]) => isGiven(value))
  const [key, ...more] = given.filter(([field]) => !WALKED.has(field))
  if (key === undefined || more.length > 0 || !(key[0] in KEYS)) return null
  if (name !== undefined && name !== 'PaymentRecord') return null
  const { startTime, endTime } = filter
  const column = KEYS[key[0] as keyof typeof KEYS]
  return { column, value: key[1] as string, beginning: LISTS_BEGIN, startTime, endTime, after: last }
}

/**
 * Relies on the `events_*_newest` index of the filter, walked backwards from the cursor; other combinations
 * filter while they walk. Takes no locks; concurrent inserts show from the next call on.
 */
function pageRows(filter: EventFilter, page: EventPage): Sql {
  const walk = walkOf(filter, page)
  if (walk !== null) {
    const { name, payments, retracted } = filter
    const conditions = [...walkConditions(walk), ...eventConditions({ name, payments, retracted })]
    return sql`
      select e.* from events e
       where ${allOf(conditions)}
       ${walkOrder(walk.column, ORDERS.time)}
       ${pageOf(page)}`
  }
  const order = eventOrderOf(filter)
  const isFew = filter.signature !== undefined || filter.slot !== undefined
  const isListed = order === 'slot' ? IS_IN_SLOT_LISTS : isFew ? IS_NOT_ARCHIVED : IS_IN_LISTS
  const conditions = [...eventConditions(filter), isListed]
  if (page.after) conditions.push(after(order, page.after))
  return sql`
    select e.* from events e
     where ${allOf(conditions)}
     order by ${ORDERS[order]}
     ${pageOf(page)}`
}

/** A page of the events that pass a filter, as the API answers it. With the filter `retracted`, each record says whether it was retracted. */
export function readEventPage(
  { database }: Store,
  filter: EventFilter,
  page: EventPage,
  tokens: RecordOptions['tokens'],
): Promise<RecordPage> {
  // A signature names a few rows at most.
  const ask = filter.signature === undefined ? database.read : database.lookUp
  const record = eventRecordText({ tokens, withRetracted: filter.retracted })
  return readRecordPage(ask, record, pageRows(filter, page))
}
