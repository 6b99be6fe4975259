// Lists of the events of one key, such as a tracking ID, walk the index of the key. Postgres does so for any key and any
// values only when the statement leaves it no other way.
//
// With `tracking_id = $1`, a kept plan expects as many events as an average key has, a few. So it reads all events of the
// key and sorts them: a page of a tracking ID with 100,000 payments read 100,000. A plan that knows the key as a frequent
// one walks the index of all events, and passes every event that is newer than those of the key. Neither can happen here:
// the key is not said to be one value, but is the first column of the order and of a range, which only its own index has.
// Nor does the planner see the values (`hidden`): it would make a plan for each call, which takes as long as a page.
import { asTimestamp, hidden, raw, sql, type Sql } from '../../core/database/sql.js'
import type { EventKey } from '../cursors.js'

/** The columns whose index `events_*_newest` begins with them. */
export type KeyColumn = 'tracking_id' | 'payment_policy' | 'gateway'

export interface KeyWalk {
  column: KeyColumn
  value: string
  /** no event before it is in the list */
  beginning?: Sql
  /** inclusive */
  startTime?: Date | undefined
  endTime?: Date | undefined
  /** the last event of the page before */
  after?: EventKey | undefined
}

/**
 * The range of a walk, as conditions on events `e`. The first one is that of the partial index.
 */
export function walkConditions({ column, value, beginning, startTime, endTime, after }: KeyWalk): Sql[] {
  const name = raw(`e.${column}`)
  const key = hidden(sql`${value}::text`)
  const at = (time: Date | undefined, none: Sql) =>
    time === undefined ? none : hidden(asTimestamp(time.getTime()))
  const start = at(startTime, sql`'-infinity'::timestamptz`)
  const from = beginning === undefined ? start : sql`greatest(${start}, ${beginning})`
  const conditions = [sql`${name} is not null`, sql`(${name}, e.occurred_at) >= (${key}, ${from})`]
  if (after === undefined || endTime !== undefined)
    conditions.push(sql`(${name}, e.occurred_at) <= (${key}, ${at(endTime, sql`'infinity'::timestamptz`)})`)
  if (after !== undefined)
    conditions.push(sql`
      (${name}, e.occurred_at, e.slot, e.event_index, e.id) < (${key}, ${hidden(sql`${after.occurredAt}::timestamptz`)},
        ${hidden(sql`${BigInt(after.slot)}::bigint`)}, ${hidden(sql`${BigInt(after.index)}::bigint`)}, ${hidden(sql`${after.id}::uuid`)})`)
  return conditions
}

/** The order of a walk: all its events have the same key. @param rest of the order, on events `e` */
export const walkOrder = (column: KeyColumn, rest: Sql): Sql =>
  sql`order by ${raw(`e.${column}`)} desc, ${rest}`
