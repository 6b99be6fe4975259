import type { Sql } from '../store.js'

export interface Hold {
  id: string
  forMs: number
  /** `in-flight cap`, `rate cap` or `breaker open` */
  reason: string
}

/**
 * Puts deliveries off without spending a try: they become `waiting` and are due again after `forMs`. Rows that
 * ended, or that somebody is sending, are left alone and not returned.
 * @returns how long each has been held by now; a caller sends what was held for too long, whatever holds it
 */
export async function holdDeliveries(
  sql: Sql,
  holds: readonly Hold[],
): Promise<{ id: bigint; heldForMs: number }[]> {
  return sql.$queryRaw`
    update deliveries d
       set state = 'waiting', held_since = coalesce(d.held_since, clock_timestamp()), held_reason = h.reason,
           due_at = clock_timestamp() + make_interval(secs => h.for_ms / 1000)
      from unnest(${holds.map(h => h.id)}::bigint[], ${holds.map(h => h.forMs)}::float8[],
                  ${holds.map(h => h.reason)}::text[]) as h (id, for_ms, reason)
     where d.id = h.id and d.state in ('pending', 'waiting')
       and (d.claimed_until is null or d.claimed_until < clock_timestamp())
    returning d.id, extract(epoch from clock_timestamp() - d.held_since)::float8 * 1000 as "heldForMs"`
}
