import { DELIVERY_COLUMNS, type DeliveryRecord } from '../webhooks/delivery-records.js'
import type { Sql } from '../store.js'
import { translated } from '../translated.js'

export interface FailedDelivery extends DeliveryRecord {
  gateway: string
  endpointUrl: string
  /** only deliveries of active webhooks can be delivered again */
  active: boolean
}

/** Failed deliveries of all gateways, newest first; relies on deliveries_failed. */
export async function listFailedDeliveries(
  sql: Sql,
  page: { before?: bigint | undefined; limit: number },
): Promise<FailedDelivery[]> {
  return translated(async () => {
    return sql.$queryRaw<FailedDelivery[]>`
      select ${DELIVERY_COLUMNS}, w.gateway, w.endpoint_url as "endpointUrl",
             w.active and w.deleted_at is null as active
        from deliveries d join webhooks w on w.id = d.webhook_id
       where d.state = 'failed' and (${page.before ?? null}::bigint is null or d.id < ${page.before ?? null})
       order by d.id desc limit ${page.limit}`
  })
}

/** Ids of failed deliveries that can be delivered again, oldest first. */
export async function findRedeliverable(sql: Sql, limit: number): Promise<bigint[]> {
  return translated(async () => {
    const rows = await sql.$queryRaw<{ id: bigint }[]>`
      select d.id from deliveries d join webhooks w on w.id = d.webhook_id
       where d.state = 'failed' and w.active and w.deleted_at is null order by d.id limit ${limit}`
    return rows.map(({ id }) => id)
  })
}

/** How many deliveries are in each state that matters to ops. */
export async function countDeliveries(sql: Sql): Promise<{ state: string; count: bigint }[]> {
  return translated(async () => {
    return sql.$queryRaw`
      select state, count(*) as count from deliveries
       where state in ('pending', 'waiting') or state = 'failed' group by state order by state`
  })
}
