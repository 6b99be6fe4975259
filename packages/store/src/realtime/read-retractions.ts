import type { CommittedPayment } from '@payment-tracking/contracts'
import type { Store } from '../database/open-store.js'
import { sql } from '../database/sql.js'
import { readCommittedPayments } from '../committed-payments.js'

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

/**
 * All retracted payments of some tracking IDs. Relies on events_retracted_tracking. It has no limit: only a fork of the
 * chain retracts, and the index holds nothing else, so a tracking ID with many payments has few rows in it.
 * @throws StoreUnavailableError
 */
export async function readRetractionsOf(
  { database }: Store,
  trackingIds: readonly string[],
): Promise<CommittedPayment[]> {
  if (trackingIds.length === 0) return []
  return readCommittedPayments(
    database.read,
    sql`e.tracking_id = any(${[...trackingIds]}::text[]) and e.retracted_at is not null and e.seq is not null`,
    sql`order by e.tracking_id, e.seq`,
  )
}
