import type { DeliveryRef } from '@payment-tracking/contracts'
import type { DeliveryMessage } from '@payment-tracking/domain'
import { columnTable } from '../../core/database/columns.js'
import type { Tx } from '../../core/database/sql.js'
import { DELIVERY_REF } from '../../core/tables/delivery-rows.js'

/** One message for one webhook. */
export interface Address {
  webhookId: bigint
  /** the message's number in a list of messages, from 1 */
  message: number
  /** of the webhook, as the caller has read it: turned off and on meanwhile, the webhook has cancelled the delivery */
  activation: number
  /** the tracking ID, where the webhook orders by it; or the expectation */
  orderKey: string | null
}

/** The order of a message among the deliveries of a webhook that orders by tracking ID. */
export const orderKeyOf = (orderedBy: string, trackingId: string | null): string | null =>
  orderedBy === 'trackingId' ? trackingId : null

export interface EventMessage extends DeliveryMessage {
  /** null where no event is the cause */
  eventId: string | null
}

const ADDRESSES = columnTable<Address>('r', {
  webhook_id: ['bigint', ({ webhookId }) => webhookId.toString()],
  nth: ['integer', ({ message }) => message],
  activation: ['integer', ({ activation }) => activation],
  order_key: ['text', ({ orderKey }) => orderKey],
})

const MESSAGES = columnTable<EventMessage & { nth: number; traceParent: string | null }>('m', {
  nth: ['integer', ({ nth }) => nth],
  event_id: ['uuid', ({ eventId }) => eventId],
  message_id: ['text', ({ id }) => id],
  type: ['text', ({ type }) => type],
  body: ['text', ({ body }) => body],
  trace_parent: ['text', ({ traceParent }) => traceParent],
})

/**
 * Writes one delivery for each address. Sends each body once, for any number of webhooks. Existing rows stay unchanged:
 * the keys of deliveries refuse a message that was made under its id, and what its event has made under another id.
 * SQL: one text a column.
 * @param traceParents by event, when messages are traced
 * @returns the new rows, for `enqueueDeliveries` after the commit
 */
export async function insertMessages(
  tx: Tx,
  addresses: readonly Address[],
  messages: readonly EventMessage[],
  traceParents?: ReadonlyMap<string, string>,
): Promise<DeliveryRef[]> {
  if (addresses.length === 0) return []
  const listed = messages.map((message, at) => ({
    ...message,
    nth: at + 1,
    traceParent: traceParents?.get(message.eventId ?? '') ?? null,
  }))
  return tx.$queryRaw<DeliveryRef[]>`
    insert into deliveries as d (webhook_id, activation, order_key, event_id, message_id, type, body, trace_parent)
    select r.webhook_id, r.activation, r.order_key, m.event_id, m.message_id, m.type, m.body, m.trace_parent
      from ${ADDRESSES.listOf(addresses)} join ${MESSAGES.listOf(listed)} on m.nth = r.nth
     order by m.nth, r.webhook_id
    on conflict do nothing
    returning ${DELIVERY_REF}`
}
