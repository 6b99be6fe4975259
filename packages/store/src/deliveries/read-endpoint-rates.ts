import { bigints, sql, type Store } from '../core/database/sql.js'

/** What decides how many requests a second an endpoint gets. */
export interface EndpointRate {
  /** what the webhook's owner chose */
  ratePerSecond: number | null
  format: string
}

/** By the primary key: what a worker asks before the first request to an endpoint. Later each claim tells it. */
export const readEndpointRates = (
  { database }: Store,
  webhookIds: readonly string[],
): Promise<readonly (EndpointRate & { id: bigint })[]> =>
  database.read(sql`
    select id, rate_per_second as "ratePerSecond", format from webhooks where id = any(${bigints(webhookIds)})`)
