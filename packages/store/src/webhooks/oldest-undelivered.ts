import type { Sql } from '../store.js'
import { translated } from '../translated.js'

/** Seconds that the oldest delivery has not ended for, whatever it waits for; 0 when there is none. */
export async function readOldestUndeliveredSeconds(sql: Sql): Promise<number> {
  const [row] = await translated(
    () => sql.$queryRaw<{ seconds: number }[]>`
    select coalesce(extract(epoch from clock_timestamp() - min(opened_at)), 0)::float8 as seconds
      from deliveries where state in ('pending', 'waiting')`,
  )
  return Math.max(0, row?.seconds ?? 0)
}
