import { ALL_GATEWAYS } from '@payment-tracking/domain'
import { hidden, join, sql, type Sql, type Store } from '../../core/database/sql.js'
import { bucketConditions, inRange } from './bucket-conditions.js'
import { isOfName } from './event-filter.js'
import { PAYMENT_NAMES } from '../../core/tables/payment-names.js'
import { namesOf } from './list-event-names.js'
import { coverTime, toTimeRange } from './time-cover.js'

export interface CountFilter {
  name?: string | undefined
  gateway?: string | undefined
  startTime?: Date | undefined
  endTime?: Date | undefined
}

/**
 * The number of events of a name (or of all), of a gateway (or of all): sums of days and hours, and the events of less than an hour at
 * either end, so a million cost as much as one. Only payments are summed up for a gateway: its other events are counted one by one.
 * One statement, so one snapshot.
 */
export async function countEvents({ database }: Store, filter: CountFilter): Promise<bigint> {
  const { name, gateway } = filter
  const isPayment = name === 'PaymentRecord' || name === 'ComposableExecuted'
  const parts = [
    ...(gateway === undefined || name === undefined || isPayment ? summed(filter) : []),
    ...(gateway === undefined || isPayment ? [] : [others(gateway, filter)]),
  ]
  if (parts.length === 0) return 0n
  // Without bounds, the answer is a few stored sums.
  const isShort = gateway === undefined && filter.startTime === undefined && filter.endTime === undefined
  const ask = isShort ? database.lookUp : database.read
  const rows = await ask<{ count: string }>(sql`
    select coalesce(sum(count), 0)::text as count from (${join(parts, ' union all ')}) parts`)
  return BigInt(rows[0]?.count ?? '0')
}

/** Relies on the primary key of event_counts, and on events_newest, events_name_rare, events_gateway_newest or events_gateway_rare. */
function summed({ name, gateway, startTime, endTime }: CountFilter): Sql[] {
  const isUnbounded = startTime === undefined && endTime === undefined
  const cover = coverTime(toTimeRange(startTime, endTime))
  const counted = gateway ?? ALL_GATEWAYS
  // Names are together of all time. Rows of hours and days are found name by name.
  const ofAnyName = isUnbounded ? sql`true` : sql`name = any(array(${namesOf(counted)}))`
  const ofName = name === undefined ? ofAnyName : sql`name = ${name}`
  const sums = bucketConditions(counted, cover, isUnbounded, hidden).map(
    buckets => sql`select sum(count) as count from event_counts where ${ofName} and ${buckets}`,
  )
  const ofAny = gateway === undefined ? sql`true` : sql`name in (${PAYMENT_NAMES})`
  const ofGateway = gateway === undefined ? sql`true` : sql`gateway = ${gateway}`
  const edges = cover.edges.map(
    edge => sql`
      select count(*) from events
       where ${name === undefined ? ofAny : isOfName(name)} and ${ofGateway} and retracted_at is null
         and ${inRange('occurred_at', edge, hidden)}`,
  )
  return [...sums, ...edges]
}

/**
 * Events that are no payments, of one name or of all. Counted in events_gateway_rare, without a row of the table: 1 µs each on a busy
 * machine (500,000 status changes took 0.7 s). Name by name, so that a walk of the index ends at the bounds of time.
 */
function others(gateway: string, { name, startTime, endTime }: CountFilter): Sql {
  const known = sql`select name from (${namesOf(ALL_GATEWAYS)}) k where name not in (${PAYMENT_NAMES})`
  return sql`
    select coalesce(sum(c.count), 0) as count
      from (${name === undefined ? known : sql`select ${name}::text as name`}) n
     cross join lateral (
       select count(*) as count from events
        where gateway = ${gateway} and name = n.name and name <> 'PaymentRecord' and retracted_at is null
          and ${inRange('occurred_at', toTimeRange(startTime, endTime))}) c`
}
