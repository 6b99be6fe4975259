// The first and the last time of payments: one probe within the first, and within the last hour that counts any.
import { HOUR } from '@payment-tracking/domain'
import { join, raw, sql, type Sql } from '../../core/database/sql.js'
import { isPaymentOf } from '../../core/tables/payment-names.js'
import { inRange } from './bucket-conditions.js'
import { firstSpan } from './payment-counts.js'
import { coverTime, type TimeRange } from './time-cover.js'

/** Two columns. Relies on the primary key of event_counts, and on events_gateway_newest or events_newest. */
export function firstAndLast(gateway: string, range: TimeRange): Sql {
  const { edges, hours } = coverTime(range)
  const payment = (direction: Sql, within: Sql): Sql => sql`
    (select e.occurred_at from events e where ${isPaymentOf(gateway)} and ${within}
      order by e.occurred_at ${direction} limit 1)`
  const inHours = (direction: Sql): Sql => sql`
    (select ${payment(direction, sql`e.occurred_at >= h.start and e.occurred_at < h.start + interval '1 hour'`)}
       from (${firstSpan(gateway, HOUR, direction, inRange('start', hours))}) h)`
  const [asc, desc] = [raw('asc'), raw('desc')]
  const inEdges = (direction: Sql) =>
    edges.map(edge => ({ at: edge.fromMs, sql: payment(direction, inRange('e.occurred_at', edge)) }))
  // An edge lies before the hours, or after them.
  const isBefore = ({ at }: { at: number | null }) =>
    hours.fromMs !== null && at !== null && at < hours.fromMs
  const firsts = inEdges(asc)
  const lasts = inEdges(desc)
  return sql`
    coalesce(${list([...firsts.filter(isBefore), { sql: inHours(asc) }, ...firsts.filter(edge => !isBefore(edge))])}) as "firstAt",
    coalesce(${list([...lasts.filter(edge => !isBefore(edge)), { sql: inHours(desc) }, ...lasts.filter(isBefore)])}) as "lastAt"`
}

const list = (parts: readonly { sql: Sql }[]): Sql => join(parts.map(part => part.sql))
