import type { CommittedPayment, DeliveryRef } from '@payment-tracking/contracts'
import {
  PAYMENT_MESSAGE_TYPE,
  renderRetractionMessage,
  RETRACTION_MESSAGE_TYPE,
} from '@payment-tracking/domain'
import { sql, type Tx } from '../../core/database/sql.js'
import { logMessages } from '../../core/tables/messages.js'
import { IS_ACTIVE, cancelDeliveries } from '../../core/tables/delivery-rows.js'
import { insertMessages, orderKeyOf } from '../routing/insert-messages.js'
import { deleteWaitingOf } from './waiting-messages.js'

interface Forgotten {
  /** all retracted events */
  events: readonly string[]
  /** those of them that are payments, with their present details */
  payments: readonly CommittedPayment[]
  /** those of which nobody was notified */
  unsent: readonly string[]
}

/**
 * Takes back what was to be sent of retracted events, in the transaction that retracts them: removes what waits, cancels
 * open deliveries of the payments, and writes `payment.retracted` to every webhook of that type that got a payment, or may
 * have got it (at least one request was sent). Relies on the indexes of waiting messages and of deliveries by event.
 * @returns the new deliveries
 */
export async function forget(tx: Tx, { events, payments, unsent }: Forgotten): Promise<DeliveryRef[]> {
  const ids = payments.map(({ eventId }) => eventId)
  const gone = [...new Set([...events, ...ids])]
  if (gone.length > 0) await deleteWaitingOf(tx, gone)
  if (ids.length === 0) return []
  const isOfPayments = sql`d.event_id = any(${ids}::uuid[]) and d.type = ${PAYMENT_MESSAGE_TYPE}`
  await tx.$executeRaw(cancelDeliveries(isOfPayments, 'payment retracted'))
  const notified = await tx.$queryRaw<
    { eventId: string; webhookId: bigint; activation: number; orderedBy: string }[]
  >`
    select d.event_id as "eventId", d.webhook_id as "webhookId", w.activation, w.ordered_by as "orderedBy"
      from deliveries d join webhooks w on w.id = d.webhook_id
     where ${isOfPayments} and d.attempts_made > 0
       and ${IS_ACTIVE} and ${RETRACTION_MESSAGE_TYPE} = any(w.event_types)`
  const numbers = new Map(ids.map((id, at) => [id, at + 1]))
  const messages = payments.map(each => ({
    ...renderRetractionMessage(each),
    gateway: each.gateway,
    eventId: each.eventId,
  }))
  const unheard = new Set(unsent)
  const heard = messages.filter(({ eventId }) => !unheard.has(eventId))
  await logMessages(tx, heard)
  const addresses = notified.map(({ eventId, orderedBy, ...to }) => {
    const message = numbers.get(eventId)!
    return { ...to, message, orderKey: orderKeyOf(orderedBy, payments[message - 1]!.trackingId) }
  })
  return insertMessages(tx, addresses, messages)
}
