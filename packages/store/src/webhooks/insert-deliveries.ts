import type { DeliveryRef, CommittedPayment } from '@payment-tracking/contracts'
import {
  DIRECT_TRANSFER_POLICY,
  judgeFilters,
  PAYMENT_MESSAGE_TYPE,
  renderPaymentMessage,
  renderRetractionMessage,
  renderTributaryMessage,
  type DeliveryMessage,
  type WebhookFilters,
} from '@payment-tracking/domain'
import type { Store } from '../database/open-store.js'
import { empty, sql, type Tx } from '../database/sql.js'
import { insertAwaitingFacts, type AwaitingFacts } from './awaiting-facts.js'

interface ToldWebhook {
  id: bigint
  gateway: string
  finality: string
  format: string
  filters: WebhookFilters | null
  ordered: boolean
}

/** One message for one webhook. @param message its place in a list of messages, from 1 */
export interface Address {
  webhookId: bigint
  message: number
  /** the delivery waits for earlier deliveries of its webhook */
  ordered: boolean
}

export interface EventMessage extends DeliveryMessage {
  /** null where no event is the cause */
  eventId: string | null
}

/**
 * Writes the deliveries of new payments in the transaction that stores the payments: one row for each active webhook that
 * the payment's gateway has for payments, and whose filters the payment passes. Existing rows stay as they are, so a
 * replay adds none. Payments for webhooks that wait for finality go to deliveries_awaiting_finality, and payments that
 * filters cannot judge yet go to deliveries_awaiting_facts.
 *
 * Takes two or three statements for any number of payments. Uses webhooks_gateway_idx, and
 * deliveries_webhook_id_message_id_key to refuse duplicates. Takes no lock on webhooks: if a webhook is deactivated
 * meanwhile, a worker cancels its rows when it claims them.
 * @param traceParents by event, when payments are traced; without it the column is not written
 * @param isFinal whether a payment is final
 * @returns the new rows, for `enqueueDeliveries` after the commit
 */
export async function insertDeliveriesIn(
  tx: Tx,
  payments: readonly CommittedPayment[],
  traceParents?: ReadonlyMap<string, string>,
  isFinal: (payment: CommittedPayment) => boolean = () => false,
): Promise<DeliveryRef[]> {
  if (payments.length === 0) return []
  const gateways = [...new Set(payments.map(payment => payment.gateway))]
  const webhooks = await tx.$queryRaw<ToldWebhook[]>`
    select id, gateway, finality, format, filters, ordered from webhooks
     where gateway = any(${gateways}::text[]) and active and deleted_at is null
       and (coalesce(cardinality(event_types), 0) = 0 or ${PAYMENT_MESSAGE_TYPE} = any(event_types))`
  if (webhooks.length === 0) return []

  const webhooksOf = new Map<string, ToldWebhook[]>()
  for (const webhook of webhooks) {
    const others = webhooksOf.get(webhook.gateway)
    if (others) others.push(webhook)
    else webhooksOf.set(webhook.gateway, [webhook])
  }
  const messages = collectMessages()
  const addresses: Address[] = []
  const waiting: { payment: CommittedPayment; webhookId: bigint }[] = []
  const unknown: AwaitingFacts[] = []
  for (const payment of payments) {
    for (const { id, finality, filters, format, ordered } of webhooksOf.get(payment.gateway) ?? []) {
      const judged = judgeFilters(filters, payment)
      if (judged === 'refused') continue
      if (finality === 'finalized' && !isFinal(payment)) waiting.push({ payment, webhookId: id })
      else if (judged === 'unknown') unknown.push(...awaitingFacts(payment, id))
      else addresses.push({ webhookId: id, message: messages.placeOf(payment, format), ordered })
    }
  }
  await insertAwaitingFinality(tx, waiting)
  await insertAwaitingFacts(tx, unknown)
  return insertMessages(tx, addresses, messages.all, traceParents)
}

/** `insertDeliveriesIn` in its own transaction, for payments that are already stored. */
export const insertDeliveries = (
  { database }: Store,
  payments: readonly CommittedPayment[],
  traceParents?: ReadonlyMap<string, string>,
): Promise<DeliveryRef[]> =>
  database.transaction(tx => insertDeliveriesIn(tx, payments, traceParents), {
    maxWait: 10_000,
    timeout: 60_000,
  })

/** Nothing can tell more about a direct transfer, which has no policy. */
const awaitingFacts = ({ eventId, paymentPolicy }: CommittedPayment, webhookId: bigint): AwaitingFacts[] =>
  paymentPolicy === DIRECT_TRANSFER_POLICY
    ? []
    : [{ webhookId, messageId: eventId, eventId, policy: paymentPolicy, lifecycle: null }]

/** Messages of payments, rendered once in each format that a webhook uses. */
export function collectMessages() {
  const all: EventMessage[] = []
  const places = new Map<string, number>()
  return {
    all,
    /** @returns the message's place in `all`, from 1 */
    placeOf(payment: CommittedPayment, format: string): number {
      const key = `${payment.eventId} ${format}`
      let place = places.get(key)
      if (place === undefined) {
        const render = format === 'tributary' ? renderTributaryMessage : renderPaymentMessage
        place = all.push({ ...render(payment), eventId: payment.eventId })
        places.set(key, place)
      }
      return place
    },
  }
}

async function insertAwaitingFinality(
  tx: Tx,
  waiting: readonly { payment: CommittedPayment; webhookId: bigint }[],
): Promise<void> {
  if (waiting.length === 0) return
  await tx.$executeRaw`
    insert into deliveries_awaiting_finality (event_id, webhook_id, slot)
    select * from unnest(${waiting.map(({ payment }) => payment.eventId)}::uuid[],
                         ${waiting.map(({ webhookId }) => webhookId.toString())}::bigint[],
                         ${waiting.map(({ payment }) => String(payment.slot))}::bigint[])
    on conflict do nothing`
}

/** Sends each body once, for any number of webhooks. Existing rows stay unchanged. */
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

/**
 * Writes the deliveries of payments that have become final, to active webhooks that waited for finality.
 * @param released the result of `takeReleased`
 * @param payments those payments with their present facts
 */
export async function insertReleasedDeliveries(
  tx: Tx,
  released: readonly { eventId: string; webhookId: bigint }[],
  payments: readonly CommittedPayment[],
): Promise<DeliveryRef[]> {
  if (released.length === 0) return []
  const ids = [...new Set(released.map(({ webhookId }) => webhookId.toString()))]
  const active = await tx.$queryRaw<Omit<ToldWebhook, 'gateway' | 'finality'>[]>`
    select id, format, filters, ordered from webhooks
     where id = any(${ids}::bigint[]) and active and deleted_at is null`
  const webhooks = new Map(active.map(webhook => [webhook.id, webhook]))
  const byId = new Map(payments.map(payment => [payment.eventId, payment]))
  const messages = collectMessages()
  const unknown: AwaitingFacts[] = []
  const addresses = released.flatMap(({ eventId, webhookId }) => {
    const [payment, webhook] = [byId.get(eventId), webhooks.get(webhookId)]
    if (!payment || !webhook) return []
    const judged = judgeFilters(webhook.filters, payment)
    if (judged === 'unknown') unknown.push(...awaitingFacts(payment, webhookId))
    if (judged !== 'passes') return []
    return [{ webhookId, message: messages.placeOf(payment, webhook.format), ordered: webhook.ordered }]
  })
  await insertAwaitingFacts(tx, unknown)
  return insertMessages(tx, addresses, messages.all)
}

/**
 * Writes `payment.retracted` to every webhook of that type that got a retracted payment, or may have got it (at least
 * one request was sent). Cancels deliveries of the payment that are still open. Relies on the index of deliveries by
 * event.
 */
export async function insertRetractions(
  tx: Tx,
  payments: readonly CommittedPayment[],
): Promise<DeliveryRef[]> {
  if (payments.length === 0) return []
  const ids = payments.map(({ eventId }) => eventId)
  await tx.$executeRaw`delete from deliveries_awaiting_finality where event_id = any(${ids}::uuid[])`
  await tx.$executeRaw`delete from deliveries_awaiting_facts where event_id = any(${ids}::uuid[])`
  await tx.$executeRaw`
    update deliveries
       set state = 'cancelled', finished_at = clock_timestamp(), last_error = 'payment retracted',
           held_since = null, held_reason = null
     where event_id = any(${ids}::uuid[]) and type = ${PAYMENT_MESSAGE_TYPE} and state in ('pending', 'waiting')`
  const told = await tx.$queryRaw<{ eventId: string; webhookId: bigint; ordered: boolean }[]>`
    select d.event_id as "eventId", d.webhook_id as "webhookId", w.ordered
      from deliveries d join webhooks w on w.id = d.webhook_id
     where d.event_id = any(${ids}::uuid[]) and d.type = ${PAYMENT_MESSAGE_TYPE} and d.attempts_made > 0
       and w.active and w.deleted_at is null and 'payment.retracted' = any(w.event_types)`
  const places = new Map(ids.map((id, at) => [id, at + 1]))
  const messages = payments.map(payment => ({
    ...renderRetractionMessage(payment),
    eventId: payment.eventId,
  }))
  const addresses = told.map(({ eventId, ...to }) => ({ ...to, message: places.get(eventId)! }))
  return insertMessages(tx, addresses, messages)
}
