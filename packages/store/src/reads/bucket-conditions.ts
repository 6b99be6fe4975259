import { Prisma } from '../generated/client.js'
import { asTimestamp } from './as-timestamp.js'
import type { TimeCover, TimeRange } from './time-cover.js'

/** `column` lies in the range. The column's name is ours, never a caller's. */
export function inRange(column: string, { fromMs, toMs }: TimeRange): Prisma.Sql {
  const name = Prisma.raw(column)
  const from = fromMs === null ? Prisma.empty : Prisma.sql`and ${name} >= ${asTimestamp(fromMs)}`
  const to = toMs === null ? Prisma.empty : Prisma.sql`and ${name} < ${asTimestamp(toMs)}`
  return Prisma.sql`true ${from} ${to}`
}

/** Which rows of an aggregate table (`span`, `start`) a cover is made of; without bounds the one of all time. */
export function bucketConditions(cover: TimeCover, unbounded: boolean): Prisma.Sql[] {
  if (unbounded) return [Prisma.sql`span = 0`]
  return cover.buckets.map(
    ({ spanSeconds, range }) => Prisma.sql`span = ${spanSeconds}::int and ${inRange('start', range)}`,
  )
}
