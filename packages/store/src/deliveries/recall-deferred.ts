import type { DeliveryRef } from '@payment-tracking/contracts'
import { raw, sql, type Store } from '../core/database/sql.js'
import { DELIVERY_REF, IS_ACTIVE, IS_OPEN, IS_UNCLAIMED } from '../core/tables/delivery-rows.js'

/** How many open deliveries of a webhook the statement looks at, however many there are. */
const OLDEST = raw('2000')

/**
 * Makes deliveries of a webhook due that were deferred for a reason, oldest first. Looks at the oldest 2,000 open
 * deliveries, by deliveries_open_webhook. A row that a worker has claimed meanwhile stays. SQL: the database's clock.
 * @returns the deliveries whose jobs are to be promoted
 */
export const recallDeferred = (
  { database }: Store,
  webhookId: string,
  { reason, most }: { reason: string; most: number },
): Promise<DeliveryRef[]> => {
  const isDeferred = sql`
    d.state = 'waiting' and d.defer_reason = ${reason} and d.due_at > clock_timestamp()`
  return database.write<DeliveryRef>(sql`
    update deliveries d set due_at = clock_timestamp()
     where d.id = any(array(
             select d.id
               from webhooks w
              cross join lateral (
                select d.* from deliveries d
                 where d.webhook_id = w.id and d.activation = w.activation and ${IS_OPEN}
                 order by d.id limit ${OLDEST}) d
              where w.id = ${webhookId}::bigint and ${IS_ACTIVE} and ${isDeferred}
              order by d.id limit ${most}))
       and ${isDeferred} and ${IS_UNCLAIMED}
    returning ${DELIVERY_REF}`)
}
