import { asTimestamp, empty, raw, sql, type Sql } from '../../core/database/sql.js'
import { IN_USE } from '../../core/tables/head.js'
import type { TimeCover, TimeRange } from './time-cover.js'

/**
 * `column` lies in the range. The column's name comes from this package, never from a caller.
 * @param value how the bounds are written; `hidden` where the plan for all ranges is as good as the plan for one
 */
export function inRange(
  column: string,
  { fromMs, toMs }: TimeRange,
  value: (bound: Sql) => Sql = bound => bound,
): Sql {
  const name = raw(column)
  const from = fromMs === null ? empty : sql`and ${name} >= ${value(asTimestamp(fromMs))}`
  const to = toMs === null ? empty : sql`and ${name} < ${value(asTimestamp(toMs))}`
  return sql`true ${from} ${to}`
}

/** The figures of a gateway, or of all, that make up a cover; without bounds, those of all time. */
export function bucketConditions(
  gateway: string,
  cover: TimeCover,
  unbounded: boolean,
  value?: (bound: Sql) => Sql,
): Sql[] {
  const ofGateway = sql`${IN_USE} and gateway = ${gateway}`
  if (unbounded) return [sql`${ofGateway} and span = 0`]
  return cover.buckets.map(
    ({ span, range }) => sql`${ofGateway} and span = ${span}::int and ${inRange('start', range, value)}`,
  )
}
