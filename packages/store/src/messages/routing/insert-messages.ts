import type { DeliveryRef } from '@payment-tracking/contracts'
import type { DeliveryMessage } from '@payment-tracking/domain'
import { columnTable } from '../../core/database/columns.js'
import { sql, type Tx } from '../../core/database/sql.js'
import { deliveryRef } from '../../core/tables/delivery-rows.js'
import { loggedAs, PAYMENT_TYPE } from '../../core/tables/messages.js'

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

export interface AddressedMessage extends DeliveryMessage {
  gateway: string
  /** null where no event is the cause */
  eventId: string | null
  /** of a payment: of its event, as text */
  position?: string | null
  /** in another form than the log has under this id */
  isOwnForm?: boolean
}

const ADDRESSES = columnTable<Address>('r', {
  webhook_id: ['bigint', ({ webhookId }) => webhookId.toString()],
  nth: ['integer', ({ message }) => message],
  activation: ['integer', ({ activation }) => activation],
  order_key: ['text', ({ orderKey }) => orderKey],
})

const MESSAGES = columnTable<AddressedMessage & { nth: number; traceParent: string | null }>('n', {
  nth: ['integer', ({ nth }) => nth],
  gateway: ['text', ({ gateway }) => gateway],
  event_id: ['uuid', ({ eventId }) => eventId],
  payment: ['bigint', ({ position }) => position],
  message_id: ['text', ({ id }) => id],
  type: ['text', ({ type }) => type],
  body: ['text', ({ body }) => body, 'lines'],
  own_form: ['boolean', ({ isOwnForm }) => isOwnForm ?? false],
  trace_parent: ['text', ({ traceParent }) => traceParent],
})

/**
 * Writes one delivery for each address. A delivery points to the message of the log; one that the log does not have under this id
 * gets a row beside it, which no feed shows. Existing deliveries stay unchanged: their keys refuse what was made of an event
 * before, under any id, and what time caused once. SQL: one text a column.
 * @param traceParents by event, when messages are traced
 * @returns the new rows, for `enqueueDeliveries` after the commit
 */
export async function insertMessages(
  tx: Tx,
  addresses: readonly Address[],
  messages: readonly AddressedMessage[],
  traceParents?: ReadonlyMap<string, string>,
): Promise<DeliveryRef[]> {
  if (addresses.length === 0) return []
  const listed = messages.map((message, at) => ({
    ...message,
    nth: at + 1,
    traceParent: traceParents?.get(message.eventId ?? '') ?? null,
  }))
  return tx.$queryRaw<DeliveryRef[]>`
    with r as materialized (select * from ${ADDRESSES.listOf(addresses)}),
    k as materialized (
      select n.*, l.id as logged, coalesce(l.id, nextval('messages_id_seq')) as message
        from ${MESSAGES.listOf(listed)} left join lateral ${loggedAs(sql`n`)} l on not n.own_form
    ), beside as (
      insert into messages (id, gateway, type, message_id, event_id, body)
      select k.message, k.gateway, k.type, k.message_id, k.event_id, k.body from k
       where k.logged is null and exists (
         select from r where r.nth = k.nth and not exists (
           select from deliveries d where d.event_id = k.event_id and d.webhook_id = r.webhook_id and d.type = k.type))
    ), d as (
      insert into deliveries (webhook_id, activation, order_key, event_id, message_id, type, message, trace_parent)
      select r.webhook_id, r.activation, r.order_key, k.event_id, case when k.type <> ${PAYMENT_TYPE} then k.message_id end,
             k.type, k.message, k.trace_parent
        from r join k on k.nth = r.nth
       order by k.nth, r.webhook_id
      on conflict do nothing
      returning *
    )
    select ${deliveryRef(sql`k.body`)} from d join k on k.message = d.message order by d.id`
}
