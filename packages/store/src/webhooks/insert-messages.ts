import type { DeliveryRef } from '@payment-tracking/contracts'
import type { DeliveryMessage } from '@payment-tracking/domain'
import { empty, sql, type Tx } from '../database/sql.js'

/** One message for one webhook. */
export interface Address {
  webhookId: bigint
  /** the message's place in a list of messages, from 1 */
  message: number
  /** the delivery waits for earlier deliveries of its webhook */
  ordered: boolean
}

export interface EventMessage extends DeliveryMessage {
  /** null where no event is the cause */
  eventId: string | null
}

/**
 * Writes one delivery for each address. Sends each body once, for any number of webhooks. Existing rows stay unchanged:
 * deliveries_webhook_id_message_id_key refuses duplicates.
 * @param traceParents by event, when messages are traced; without it the column is not written
 * @returns the new rows, for `enqueueDeliveries` after the commit
 */
export async function insertMessages(
  tx: Tx,
  addresses: readonly Address[],
  messages: readonly EventMessage[],
  traceParents?: ReadonlyMap<string, string>,
): Promise<DeliveryRef[]> {
  if (addresses.length === 0) return []
  // Few webhooks are ordered: the others do without the column.
  const [orderedColumn, orderedValue, orders] = addresses.some(({ ordered }) => ordered)
    ? [sql`, ordered`, sql`, r.ordered`, sql`, ${addresses.map(({ ordered }) => ordered)}::boolean[]`]
    : [empty, empty, empty]
  const [column, value, traces] = traceParents
    ? [
        sql`, trace_parent`,
        sql`, m.trace_parent`,
        sql`, ${messages.map(({ eventId }) => traceParents.get(eventId ?? '') ?? null)}::text[]`,
      ]
    : [empty, empty, empty]
  return tx.$queryRaw<DeliveryRef[]>`
    insert into deliveries (webhook_id, event_id, message_id, type, body${column}${orderedColumn})
    select r.webhook_id, m.event_id, m.message_id, m.type, m.body${value}${orderedValue}
      from unnest(${addresses.map(({ webhookId }) => webhookId.toString())}::bigint[],
                  ${addresses.map(({ message }) => message)}::integer[]${orders}) as r (webhook_id, message${orderedColumn})
      join unnest(${messages.map(({ eventId }) => eventId)}::uuid[],
                  ${messages.map(message => message.id)}::text[],
                  ${messages.map(message => message.type)}::text[],
                  ${messages.map(message => message.body)}::text[]${traces})
           with ordinality as m (event_id, message_id, type, body${column}, ordinal) on m.ordinal = r.message
     order by m.ordinal, r.webhook_id
    on conflict (webhook_id, message_id) do nothing
    returning id, webhook_id as "webhookId"`
}
