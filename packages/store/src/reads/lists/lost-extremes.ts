// Extremes that are lost until their hours are counted again: a reader finds them in the events of these hours.
import { inline, join, sql, type Sql } from '../../core/database/sql.js'
import { IN_USE } from '../../core/tables/head.js'
import { isPaymentOf } from '../../core/tables/payment-names.js'
import { isCountOf } from './payment-counts.js'

/** Payments in all hours that lost extremes of one answer. Of more, the extremes are null until the hours are counted. */
const MOST_READ = 200_000

/**
 * Named parts of a statement: `found` has the extremes of tokens in rows that lost them, and `readable` says in `is_read`
 * whether they were read. Rows of days have them from their hours.
 * Relies on payment_token_stats_lost, and on events_gateway_newest or events_newest.
 * @param buckets conditions of the rows of payment_token_stats that make up the answer
 */
export function lostExtremes(gateway: string, buckets: readonly Sql[]): Sql {
  const rows = buckets.map(
    bucket => sql`
      select span, start, token_mint from payment_token_stats where ${bucket} and span > 0 and min is null and count > 0`,
  )
  const mint = sql`coalesce(e.token_mint, '')`
  return sql`
    lost as materialized (
      ${join([sql`select 0 as span, 'epoch'::timestamptz as start, '' as token_mint where false`, ...rows], ' union all ')}),
    hours as materialized (
      select start, token_mint, null::numeric as min, null::numeric as max from lost where span = 3600
       union all
      select h.start, h.token_mint, h.min, h.max
        from lost l join payment_token_stats h on ${IN_USE} and h.gateway = ${gateway} and h.span = 3600 and h.token_mint = l.token_mint
         and h.start >= l.start and h.start < l.start + interval '1 day' and h.count > 0
       where l.span = 86400),
    unknown as materialized (select distinct start from hours where min is null),
    readable as materialized (
      select coalesce(sum(s.count), 0) <= ${inline(MOST_READ)} as is_read
        from unknown u join event_counts s on ${isCountOf(gateway)} and s.span = 3600 and s.start = u.start),
    found as materialized (
      select token_mint, min, max from hours where min is not null
       union all
      select ${mint}, min(e.amount), max(e.amount)
        from unknown u join events e on ${isPaymentOf(gateway)}
         and e.occurred_at >= u.start and e.occurred_at < u.start + interval '1 hour'
       where (select is_read from readable)
         and (u.start, ${mint}) in (select start, token_mint from hours where min is null)
       group by 1)`
}
