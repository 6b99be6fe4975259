import { bigints, sql, type Store } from '../core/database/sql.js'
import { IS_OPEN, IS_UNCLAIMED } from '../core/tables/delivery-rows.js'

export interface Deferral {
  id: string
  forMs: number
  /** `in-flight cap`, `rate cap` or `breaker open` */
  reason: string
}

/**
 * Postpones deliveries without using up a try: they become `waiting` and are due again after `forMs`. A delivery that
 * has been deferred for `atMostMs` stays due, and the caller must send it. Rows that ended, or that a worker is sending,
 * stay unchanged and are not returned. SQL: the database's clock.
 * @returns how long each delivery has been deferred
 */
export async function deferDeliveries(
  { database }: Store,
  deferrals: readonly Deferral[],
  atMostMs: number,
): Promise<{ id: bigint; deferredForMs: number }[]> {
  const ids = deferrals.map(h => h.id)
  return database.writePrepared(sql`
    update deliveries d
       set state = 'waiting', deferred_since = coalesce(d.deferred_since, clock_timestamp()), defer_reason = h.reason,
           due_at = case
             when d.deferred_since <= clock_timestamp() - make_interval(secs => ${atMostMs}::float8 / 1000) then d.due_at
             else clock_timestamp() + make_interval(secs => h.for_ms / 1000) end
      from unnest(${bigints(ids)}, ${deferrals.map(h => h.forMs)}::float8[],
                  ${deferrals.map(h => h.reason)}::text[]) as h (id, for_ms, reason)
     where d.id = h.id and d.id = any(${bigints(ids)}) and ${IS_OPEN}
       and ${IS_UNCLAIMED}
    returning d.id, extract(epoch from clock_timestamp() - d.deferred_since)::float8 * 1000 as "deferredForMs"`)
}
