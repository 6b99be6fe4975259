import type { Store } from '../database/open-store.js'
import { sql } from '../database/sql.js'
import { DELIVERY_COLUMNS, type DeliveryRecord } from '../webhooks/delivery-records.js'

export interface FailedDelivery extends DeliveryRecord {
  gateway: string
  endpointUrl: string
  /** only deliveries of active webhooks can be delivered again */
  active: boolean
}

/** Failed deliveries of all gateways, newest first; relies on deliveries_failed. */
export async function listFailedDeliveries(
  { database }: Store,
  page: { before?: bigint | undefined; limit: number },
): Promise<FailedDelivery[]> {
  return database.read<FailedDelivery>(sql`
      select ${DELIVERY_COLUMNS}, w.gateway, w.endpoint_url as "endpointUrl",
             w.active and w.deleted_at is null as active
        from deliveries d join webhooks w on w.id = d.webhook_id
       where d.state = 'failed' and (${page.before ?? null}::bigint is null or d.id < ${page.before ?? null})
       order by d.id desc limit ${page.limit}`)
}

/** Ids of failed deliveries that can be delivered again, oldest first. */
export async function findRedeliverable({ database }: Store, limit: number): Promise<bigint[]> {
  const rows = await database.read<{ id: bigint }>(sql`
      select d.id from deliveries d join webhooks w on w.id = d.webhook_id
       where d.state = 'failed' and w.active and w.deleted_at is null order by d.id limit ${limit}`)
  return rows.map(({ id }) => id)
}

/** How many deliveries are in each state that matters to ops. */
export async function countDeliveries({ database }: Store): Promise<{ state: string; count: bigint }[]> {
  return database.read(sql`
      select state, count(*) as count from deliveries
       where state in ('pending', 'waiting') or state = 'failed' group by state order by state`)
}
