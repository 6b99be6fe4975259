import type { DeliveryRef } from '@payment-tracking/contracts'
import type { Store } from '../database/open-store.js'
import { sql } from '../database/sql.js'
import { IS_OPEN, IS_UNCLAIMED } from './conditions.js'

export interface Sweep {
  /** a row is overdue when it was due this long ago and no worker has claimed it */
  overdueMs: number
  /** the sweeper skips a swept row for this long: its job is on the way */
  againMs: number
  limit: number
}

/**
 * Finds overdue deliveries: their job was lost with Redis or never written, or its worker died. Stamps and returns the
 * oldest of them. Relies on deliveries_due. `skip locked` lets several sweepers share the rows, and skips rows of
 * running claims.
 */
export async function sweepDeliveries({ database }: Store, sweep: Sweep): Promise<DeliveryRef[]> {
  return database.write<DeliveryRef>(sql`
    update deliveries set swept_at = clock_timestamp()
     where id in (
       select d.id from deliveries d
        where ${IS_OPEN}
          and d.due_at < clock_timestamp() - make_interval(secs => ${sweep.overdueMs}::float8 / 1000)
          and ${IS_UNCLAIMED}
          and (d.swept_at is null
               or d.swept_at < clock_timestamp() - make_interval(secs => ${sweep.againMs}::float8 / 1000))
        order by d.due_at
        limit ${sweep.limit}
          for update skip locked)
    returning id, webhook_id as "webhookId"`)
}

/** Removes the stamp: the rows could not be enqueued, so the next sweep may take them at once. */
export async function unsweepDeliveries(
  { database }: Store,
  deliveries: readonly DeliveryRef[],
): Promise<void> {
  await database.execute(sql`
    update deliveries set swept_at = null where id = any(${deliveries.map(d => d.id.toString())}::bigint[])`)
}
