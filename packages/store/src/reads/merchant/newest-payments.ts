// The newest payments of a gateway. What no index knows is looked for among a bounded number of them.
import { allOf, inline, sql, type Sql, type Store } from '../../core/database/sql.js'
import type { EventKey } from '../cursors.js'
import { isUsual } from '../lists/event-filter.js'
import { walkConditions, walkOrder, type KeyWalk } from '../lists/walk-key.js'

/** Payments that one request looks at for a page in the order of time, and for sums or another order. */
export const SCANNED_FOR_PAGE = 20_000
export const SCANNED_FOR_SUMS = 100_000

export const NEWEST = sql`e.occurred_at desc, e.slot desc, e.event_index desc, e.id desc`
export const WALKED = walkOrder('gateway', NEWEST)

/** The columns of an `EventKey`. */
export const KEY = sql`e.occurred_at as "occurredAt", e.slot::float8 as slot, e.event_index::float8 as index, e.id`

/** Rows of events. Relies on events_gateway_newest. @param isOne a condition that nearly all payments meet */
export const newestPayments = (
  gateway: string,
  isOne: Sql,
  { most, ...walk }: { most: number } & Omit<KeyWalk, 'column' | 'value'>,
): Sql => sql`
  select e.* from events e
   where ${allOf(walkConditions({ column: 'gateway', value: gateway, ...walk }))} and ${isUsual(isOne)}
   ${WALKED} limit ${inline(most)}`

/** Where a look at `SCANNED_FOR_PAGE` payments ended, if there may be more after it. */
export async function endOfPage({ database }: Store, payments: Sql): Promise<EventKey | undefined> {
  const [end] = await database.read<EventKey>(
    sql`select ${KEY} from (${payments}) e offset ${inline(SCANNED_FOR_PAGE - 1)}`,
  )
  return end
}
