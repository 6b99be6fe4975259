// The rows of event_counts that count payments: each span of time has one for each name of payments.
import { inline, sql, type Sql } from '../../core/database/sql.js'
import { IN_USE } from '../../core/tables/head.js'
import { PAYMENT_NAMES } from '../../core/tables/payment-names.js'

/** Those of a gateway, or of all. */
export const isCountOf = (gateway: string): Sql =>
  sql`${IN_USE} and gateway = ${gateway} and name in (${PAYMENT_NAMES})`

/**
 * The start of the first or the last span that counts any. Relies on the primary key of event_counts: one probe for each name.
 * @param direction of `start`. @param within a condition on `start`
 */
export const firstSpan = (gateway: string, span: number, direction: Sql, within: Sql): Sql => sql`
  select c.start from unnest(array[${PAYMENT_NAMES}]) n (name)
   cross join lateral (
     select start from event_counts
      where ${IN_USE} and gateway = ${gateway} and span = ${inline(span)} and name = n.name and count > 0 and ${within}
      order by start ${direction} limit 1) c
   order by c.start ${direction} limit 1`
