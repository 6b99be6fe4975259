// Redelivering a span again and again costs requests, rows and disk. So a gateway may redeliver so many deliveries a day (UTC).
import { ServiceError } from '@payment-tracking/runtime'
import type { Store } from '../database/open-store.js'
import { sql, type Sql } from '../database/sql.js'

/** Deliveries that a gateway may redeliver in a day. */
export const REDELIVERIES_PER_DAY = 100_000

/** The gateway has redelivered as many deliveries as it may today. */
export class RedeliveryQuotaError extends ServiceError {
  readonly code = 'REDELIVERY_QUOTA'
  readonly retry = 'later'

  constructor(readonly goesOnInSeconds: number) {
    const at = new Date(Date.now() + goesOnInSeconds * 1_000).toISOString().slice(0, 10)
    super(`A gateway may redeliver ${REDELIVERIES_PER_DAY} deliveries a day. It goes on at ${at}T00:00:00Z.`)
  }
}

export interface RedeliveryQuota {
  left: number
  /** until the next day */
  goesOnInSeconds: number
}

const TODAY = sql`(clock_timestamp() at time zone 'UTC')::date`

/** What is left of a gateway's quota of today. Several pages that begin at once can exceed it by their rows. */
export async function readRedeliveryQuota({ database }: Store, gateway: string): Promise<RedeliveryQuota> {
  const [quota] = await database.write<RedeliveryQuota>(sql`
    select greatest(0, ${REDELIVERIES_PER_DAY}::bigint - coalesce((
             select redelivered from redelivery_counts where gateway = ${gateway} and day = ${TODAY}), 0))::int as left,
           ceil(extract(epoch from (${TODAY} + 1)::timestamp - clock_timestamp() at time zone 'UTC'))::int
             as "goesOnInSeconds"`)
  return quota!
}

/** @throws RedeliveryQuotaError when nothing is left of today's quota */
export async function requireRedeliveryQuota(store: Store, gateway: string): Promise<void> {
  const { left, goesOnInSeconds } = await readRedeliveryQuota(store, gateway)
  if (left === 0) throw new RedeliveryQuotaError(goesOnInSeconds)
}

/** Counts the rows of a table `opened` that has their gateways. */
export const COUNT_REDELIVERIES: Sql = sql`
  insert into redelivery_counts (gateway, day, redelivered)
  select gateway, ${TODAY}, count(*) from opened group by gateway order by gateway
  on conflict (gateway) do update
    set redelivered = excluded.redelivered
                      + case when redelivery_counts.day = excluded.day then redelivery_counts.redelivered else 0 end,
        day = excluded.day`

/** Counts deliveries that a replay has made for a gateway. */
export async function countRedeliveries({ database }: Store, gateway: string, count: number): Promise<void> {
  if (count > 0)
    await database.execute(sql`
      with opened as (select ${gateway}::text as gateway from generate_series(1, ${count}::int)) ${COUNT_REDELIVERIES}`)
}
