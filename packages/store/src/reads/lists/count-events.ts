import type { Store } from '../../core/database/open-store.js'
import { join, sql } from '../../core/database/sql.js'
import { bucketConditions, inRange } from './bucket-conditions.js'
import { countGatewayEvents } from './count-gateway-events.js'
import { isOfName } from './event-filter.js'
import { KNOWN_NAMES } from './known-names.js'
import { hidden } from '../../core/database/hidden.js'
import { coverTime, toTimeRange } from './time-cover.js'

export interface CountFilter {
  name?: string | undefined
  gateway?: string | undefined
  startTime?: Date | undefined
  endTime?: Date | undefined
}

/**
 * The number of events of a name (or of all), of a gateway (or of all). Of all gateways: from the stored counts by day and hour, and
 * from the events at the two edges. Relies on event_counts_all_time and the primary key of event_counts, and on events_name_rare or events_newest
 * for less than an hour at either end. One statement, so one snapshot.
 */
export async function countEvents(store: Store, filter: CountFilter): Promise<bigint> {
  const { name, gateway, startTime, endTime } = filter
  if (gateway !== undefined) return countGatewayEvents(store, { ...filter, gateway })
  const { database } = store
  const unbounded = startTime === undefined && endTime === undefined
  const cover = coverTime(toTimeRange(startTime, endTime))
  // The rows of all time are few and have an index. Rows of hours and days are found name by name.
  const ofAnyName = unbounded ? sql`true` : sql`name = any(array(${KNOWN_NAMES}))`
  const ofName = name === undefined ? ofAnyName : sql`name = ${name}`
  const parts = bucketConditions(cover, unbounded, hidden).map(
    buckets => sql`select sum(count) as count from event_counts where ${ofName} and ${buckets}`,
  )
  if (!unbounded) {
    const ofNameInEvents = name === undefined ? sql`true` : isOfName(name)
    for (const edge of cover.edges) {
      parts.push(
        sql`select count(*) from events where ${ofNameInEvents} and retracted_at is null and ${inRange('occurred_at', edge, hidden)}`,
      )
    }
  }
  if (parts.length === 0) return 0n
  // Without bounds, the answer is a few stored sums.
  const ask = unbounded ? database.lookUp : database.read
  const rows = await ask<{ count: string }>(sql`
    select coalesce(sum(count), 0)::text as count from (${join(parts, ' union all ')}) parts`)
  return BigInt(rows[0]?.count ?? '0')
}
