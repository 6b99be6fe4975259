import type { Store } from '../../core/database/open-store.js'
import { join, raw, sql, type Sql } from '../../core/database/sql.js'
import { bucketConditions, inRange } from './bucket-conditions.js'
import { IS_PAYMENT } from '../../core/tables/payment-names.js'
import { KNOWN_NAMES } from './known-names.js'
import { coverTime, toTimeRange } from './time-cover.js'

export interface GatewayCountFilter {
  gateway: string
  name?: string | undefined
  startTime?: Date | undefined
  endTime?: Date | undefined
}

/** Both are payments, which payment_stats sums up without telling one from the other. */
const [REGULAR, COMPOSABLE] = ['PaymentRecord', 'ComposableExecuted']
const literal = (name: string): Sql => raw(`'${name}'`)

/**
 * The number of events of a gateway, of one name or of all. Payments are sums of days and hours, and the events of less than an hour at
 * either end: a million cost as much as one. All other events are counted in events_gateway_rare, without a row of the table: 1 µs each on
 * a busy machine (500,000 status changes took 0.7 s). One statement, so one snapshot.
 */
export async function countGatewayEvents({ database }: Store, filter: GatewayCountFilter): Promise<bigint> {
  const rows = await database.read<{ count: string }>(sql`
    select coalesce(sum(count), 0)::text as count from (${join(partsOf(filter), ' union all ')}) parts`)
  return BigInt(rows[0]?.count ?? '0')
}

function partsOf(filter: GatewayCountFilter): Sql[] {
  const { name } = filter
  if (name === undefined) {
    const names = sql`select name from (${KNOWN_NAMES}) k where name not in (${literal(REGULAR)}, ${literal(COMPOSABLE)})`
    return [...payments(filter), others(filter, names)]
  }
  const of = (one: string): Sql => others(filter, sql`select ${one}::text as name`)
  return name === REGULAR
    ? [...payments(filter), sql`select -count as count from (${of(COMPOSABLE)}) c`]
    : [of(name)]
}

/** Relies on the primary key of payment_stats, and on events_gateway_newest. */
function payments({ gateway, startTime, endTime }: GatewayCountFilter): Sql[] {
  const isUnbounded = startTime === undefined && endTime === undefined
  const cover = coverTime(toTimeRange(startTime, endTime))
  const sums = bucketConditions(cover, isUnbounded).map(
    buckets => sql`select sum(count) as count from payment_stats where gateway = ${gateway} and ${buckets}`,
  )
  if (isUnbounded) return sums
  const edges = cover.edges.map(
    edge => sql`
      select count(*) as count from events e
       where e.gateway = ${gateway} and ${IS_PAYMENT} and e.retracted_at is null and ${inRange('e.occurred_at', edge)}`,
  )
  return [...sums, ...edges]
}

/** Name by name, so that a walk of the index ends at the bounds of time. @param names a table with the column `name` */
const others = ({ gateway, startTime, endTime }: GatewayCountFilter, names: Sql): Sql => sql`
  select coalesce(sum(c.count), 0) as count
    from (${names}) n
   cross join lateral (
     select count(*) as count from events
      where gateway = ${gateway} and name = n.name and name <> ${literal(REGULAR)} and retracted_at is null
        and ${inRange('occurred_at', toTimeRange(startTime, endTime))}) c`
