import type { CommittedPayment } from '@payment-tracking/contracts'
import type { Store } from '../database/open-store.js'
import { raw, sql } from '../database/sql.js'
import { readCommittedPayments } from '../rows/committed-payments.js'

/**
 * Payments with a tracking ID that were retracted within the last milliseconds. Relies on events_retracted_at.
 * @throws StoreUnavailableError
 */
export function readRecentRetractions({ database }: Store, withinMs: number): Promise<CommittedPayment[]> {
  return readCommittedPayments(
    database.read,
    sql`e.retracted_at > clock_timestamp() - ${withinMs}::float8 * interval '1 millisecond' and e.seq is not null`,
    sql`order by e.tracking_id, e.seq`,
  )
}

/** Retracted payments of one tracking ID that are read, the latest: anybody can write any tracking ID. */
const MOST_OF_TRACKING = raw('1000')

/**
 * The retracted payments of some tracking IDs, the latest 1,000 of each. Relies on events_retracted_tracking.
 * @throws StoreUnavailableError
 */
export async function readRetractionsOf(
  { database }: Store,
  trackingIds: readonly string[],
): Promise<CommittedPayment[]> {
  if (trackingIds.length === 0) return []
  return readCommittedPayments(
    database.read,
    sql`e.id = any(array(
        select r.id from unnest(${[...trackingIds]}::text[]) as asked (tracking_id)
         cross join lateral (
           select e.id from events e
            where e.tracking_id = asked.tracking_id collate "C" and e.retracted_at is not null and e.seq is not null
            order by e.retracted_at desc limit ${MOST_OF_TRACKING}) r))`,
    sql`order by e.tracking_id, e.seq`,
  )
}
