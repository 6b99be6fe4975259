import type { DeliveryRef } from '@payment-tracking/contracts'
import { bigints, empty, sql, type Store } from '../core/database/sql.js'
import { isNotQuarantined, isolate } from '../core/quarantine/isolate.js'
import { DELIVERY_REF, IS_LIVE, IS_OPEN, IS_UNCLAIMED } from '../core/tables/delivery-rows.js'

/** A key in the order of due times. */
export interface SweepKey {
  dueAt: Date
  id: bigint
}

export interface Sweep {
  /** a row is overdue when it was due this long ago and no worker has claimed it */
  overdueMs: number
  /** the sweeper skips a swept row for this long: its job is on the way */
  againMs: number
  /** the most deliveries of one call */
  limit: number
  /** where this call begins; null: at the oldest */
  after?: SweepKey | null
}

export interface SweptPage {
  deliveries: DeliveryRef[]
  /** where the next call begins; null when this call has looked at the newest overdue delivery */
  next: SweepKey | null
}

/** Overdue deliveries that one call looks at: most of them may be claimed, swept lately or cancelled. */
const OVERDUE_A_PAGE = 5_000

/**
 * Finds overdue deliveries: their job was lost with Redis or never written, or its worker died. Stamps and returns them,
 * oldest first. Cancelled deliveries whose rows are not written yet are passed over.
 * One page of at most `limit` rows, in one statement; looks at 5,000, by deliveries_due. `skip locked` lets several
 * sweepers share the rows, and skips rows of running claims. Compares with the time of the statement: Postgres cannot search
 * an index by `clock_timestamp()`, which changes within it, and read all open deliveries every second. SQL: skips locked rows.
 */
export async function sweepDeliveries(store: Store, sweep: Sweep): Promise<SweptPage> {
  const { overdueMs, againMs, limit, after = null } = sweep
  const isAgain = sql`(d.swept_at is null
    or d.swept_at < clock_timestamp() - make_interval(secs => ${againMs}::float8 / 1000))`
  const rows = await store.database.read<{ id: bigint; dueAt: Date; isLost: boolean }>(sql`
    select d.id, d.due_at as "dueAt",
           ${IS_LIVE} and ${IS_UNCLAIMED} and ${isAgain}
             and ${isNotQuarantined('sweep-deliveries', sql`d.id::text`)} as "isLost"
      from (select * from deliveries d
             where ${IS_OPEN} and d.due_at < statement_timestamp() - make_interval(secs => ${overdueMs}::float8 / 1000)
                   ${after === null ? empty : sql`and (d.due_at, d.id) > (${after.dueAt}, ${after.id})`}
             order by d.due_at, d.id limit ${OVERDUE_A_PAGE}) d
     cross join lateral (select * from webhooks w where w.id = d.webhook_id limit 1) w
     order by d.due_at, d.id`)
  const lost = rows.filter(({ isLost }) => isLost).slice(0, limit)
  const ids = lost.map(({ id }) => id)
  const swept = await isolate(store, 'sweep-deliveries', ids, some =>
    store.database.write<DeliveryRef>(sql`
      update deliveries d set swept_at = clock_timestamp()
       where d.id = any(array(
         select d.id from deliveries d
          where d.id = any(${bigints(some)}) and ${IS_OPEN} and ${IS_UNCLAIMED} and ${isAgain}
            for update skip locked))
      returning ${DELIVERY_REF}`),
  )
  const last = lost.length === limit ? lost.at(-1) : rows.length === OVERDUE_A_PAGE ? rows.at(-1) : undefined
  return { deliveries: swept.flat(), next: last ? { dueAt: last.dueAt, id: last.id } : null }
}

/** Removes the stamp: the rows could not be enqueued, so the next sweep may take them at once. */
export async function unsweepDeliveries(
  { database }: Store,
  deliveries: readonly DeliveryRef[],
): Promise<void> {
  const where = { id: { in: deliveries.map(({ id }) => id) } }
  await database.withModels(client => client.delivery.updateMany({ where, data: { sweptAt: null } }))
}
