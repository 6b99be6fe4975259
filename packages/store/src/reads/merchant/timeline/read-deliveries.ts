// The deliveries of the entries of a time line.
import type { DeliveryState } from '@payment-tracking/domain'
import { sql, type Store } from '../../../core/database/sql.js'
import { DELIVERY_FINISHED_AT, DELIVERY_STATE, IS_NO_PAYMENT } from '../../../core/tables/delivery-rows.js'
import type { TimelineEntry } from './entries.js'

export interface EntryDelivery {
  id: bigint
  webhookId: bigint
  type: string
  status: DeliveryState
  attempts: number
  createdAt: Date
  finishedAt: Date | null
}

interface EntryRow extends EntryDelivery {
  eventId: string | null
  /** null of a payment, which has an event */
  messageId: string | null
}

/** Deliveries of one page: an event has one for each webhook and type. */
const MOST_DELIVERIES = 5_000

/**
 * The deliveries of each entry, oldest first, to the gateway's own webhooks that are not deleted. Relies on the indexes of
 * deliveries by event, and by webhook and message.
 */
export async function readEntryDeliveries(
  { database }: Pick<Store, 'database'>,
  gateway: string,
  entries: readonly TimelineEntry[],
): Promise<Map<TimelineEntry, EntryDelivery[]>> {
  const eventIds = entries.flatMap(({ eventId }) => eventId ?? [])
  const messageIds = entries.flatMap(({ messageId }) => messageId ?? [])
  const rows = await database.read<EntryRow>(sql`
    select d.id, d.webhook_id as "webhookId", d.event_id as "eventId", d.message_id as "messageId", d.type,
           ${DELIVERY_STATE} as status, d.attempts_made::int as attempts, d.created_at as "createdAt",
           ${DELIVERY_FINISHED_AT} as "finishedAt"
      from (select * from webhooks where gateway = ${gateway} and deleted_at is null) w
      join deliveries d on d.webhook_id = w.id
     where d.id = any(array(
             select id from deliveries where event_id = any(${eventIds}::uuid[])
              union
             select d.id from webhooks o
              cross join unnest(${messageIds}::text[]) as k (message_id)
               join deliveries d on d.webhook_id = o.id and d.message_id = k.message_id and ${IS_NO_PAYMENT}
              where o.gateway = ${gateway} and o.deleted_at is null))
     order by d.id limit ${MOST_DELIVERIES}`)
  const found = new Map(entries.map(entry => [entry, [] as EntryDelivery[]]))
  for (const [entry, deliveries] of found)
    for (const { eventId, messageId, ...delivery } of rows) {
      const isIts = eventId === null ? messageId === entry.messageId : eventId === entry.eventId
      if (isIts) deliveries.push(delivery)
    }
  return found
}
