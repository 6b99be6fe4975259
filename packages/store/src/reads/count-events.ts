import type { Store } from '../database/open-store.js'
import { join, sql } from '../database/sql.js'
import { bucketConditions, inRange } from './bucket-conditions.js'
import { isOfName } from './event-filter.js'
import { coverTime, toTimeRange } from './time-cover.js'

export interface CountFilter {
  name?: string | undefined
  startTime?: Date | undefined
  endTime?: Date | undefined
}

/** Every known name, by one probe of the primary key of event_counts each. */
export const KNOWN_NAMES = sql`
  with recursive known as (
    (select name from event_counts order by name limit 1)
    union all
    select (select c.name from event_counts c where c.name > known.name order by c.name limit 1)
      from known where known.name is not null
  )
  select name from known where name is not null`

/**
 * The number of events of a name (or of all), from the stored counts by day and hour, and from the events at the two
 * edges. Relies on the primary key of event_counts, and on events_name_rare or events_newest for less than an hour at
 * either end. One statement, so one snapshot.
 */
export async function countEvents({ database }: Store, filter: CountFilter): Promise<bigint> {
  const { name, startTime, endTime } = filter
  const unbounded = startTime === undefined && endTime === undefined
  const cover = coverTime(toTimeRange(startTime, endTime))
  const ofName = name === undefined ? sql`name = any(array(${KNOWN_NAMES}))` : sql`name = ${name}`
  const parts = bucketConditions(cover, unbounded).map(
    buckets => sql`select sum(count) as count from event_counts where ${ofName} and ${buckets}`,
  )
  if (!unbounded) {
    const ofNameInEvents = name === undefined ? sql`true` : isOfName(name)
    for (const edge of cover.edges) {
      parts.push(
        sql`select count(*) from events where ${ofNameInEvents} and retracted_at is null and ${inRange('occurred_at', edge)}`,
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
