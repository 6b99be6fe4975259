import { sql, type Store } from './sql.js'

/**
 * @returns by how many seconds at least this process' clock is ahead of Postgres' clock, negative when behind. Postgres
 *   reads its clock at an unknown moment of the round trip: a difference that the trip explains is 0.
 * @throws StoreUnavailableError
 */
export async function measureClockSkew({ database }: Store): Promise<number> {
  const askedAt = Date.now()
  const [row] = await database.write<{ now: number }>(
    sql`select (extract(epoch from clock_timestamp()) * 1000)::float8 as now`,
  )
  const answeredAt = Date.now()
  const { now } = row!
  if (now < askedAt) return (askedAt - now) / 1_000
  return now > answeredAt ? (answeredAt - now) / 1_000 : 0
}
