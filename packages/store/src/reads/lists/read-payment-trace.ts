import { bigints, sql, type DeliveryAttempt, type Store } from '../../core/database/sql.js'
import {
  ATTEMPTS_KEPT,
  DELIVERY_FINISHED_AT,
  DELIVERY_STATE,
  IS_ACTIVE,
  IS_LIVE,
} from '../../core/tables/delivery-rows.js'
import { IS_NOT_ARCHIVED } from '../../core/tables/lists-begin.js'
import { IS_PAYMENT } from '../../core/tables/payment-names.js'

/** The stages of a payment, from the rows that each stage wrote. */
export interface PaymentTrace {
  eventId: string
  trackingId: string | null
  seq: bigint | null
  paymentPolicy: string
  gateway: string
  amount: bigint
  recordId: number
  slot: number
  occurredAt: Date
  /** the program's own time, Unix seconds */
  paidAt: bigint
  streamSequence: bigint
  position: bigint
  /** null when the batch is older than the retention of batches */
  committedAt: Date | null
  /** when it was announced to sockets; null before that, or when the batch is removed */
  relayedAt: Date | null
  /** whether the payment was announced: only announced batches are ever removed */
  isAnnounced: boolean
}

/**
 * The payments of a transaction, in their order in it.
 * Relies on events_signature_hash, then one probe of ingest_batches_first_position_key a payment.
 */
export async function readPaymentTrace(
  { database }: Store,
  signature: string,
): Promise<readonly PaymentTrace[]> {
  return database.lookUp<PaymentTrace>(sql`
    select e.id as "eventId", e.tracking_id as "trackingId", e.seq, e.payment_policy as "paymentPolicy", e.gateway,
           e.amount, e.record_id::float8 as "recordId", e.slot::float8 as slot,
           e.occurred_at as "occurredAt", e.paid_at as "paidAt", e.stream_sequence as "streamSequence", e.position,
           b.committed_at as "committedAt", b.relayed_at as "relayedAt",
           b.relayed_at is not null or b.last_position is null as "isAnnounced"
      from events e
      left join lateral (
        select last_position, committed_at, relayed_at from ingest_batches
         where first_position <= e.position order by first_position desc limit 1
      ) b on b.last_position >= e.position
     where e.signature = ${signature} and ${IS_PAYMENT} and ${IS_NOT_ARCHIVED}
     order by e.event_index, e.id`)
}

/** An attempt at a delivery, without its request and response. */
export type TracedAttempt = Omit<
  DeliveryAttempt,
  'deliveryId' | 'signedBy' | 'responseHeaders' | 'responseBody'
>

/** A delivery of a payment to one webhook of a gateway. */
export interface TracedDelivery {
  eventId: string
  deliveryId: bigint
  webhookId: bigint
  state: string
  createdAt: Date
  finishedAt: Date | null
  heldReason: string | null
  /** the newest `ATTEMPTS_KEPT`, in order */
  attempts: TracedAttempt[]
}

/**
 * The deliveries of events to the webhooks of one gateway, and of no other, with their attempts in order.
 * Relies on the index of deliveries by event, and the keys of webhooks and attempts.
 */
export async function listTracedDeliveries(
  { database }: Store,
  eventIds: readonly string[],
  gateway: string,
): Promise<TracedDelivery[]> {
  const deliveries = await database.read<Omit<TracedDelivery, 'attempts'>>(sql`
    select d.event_id as "eventId", d.id as "deliveryId", d.webhook_id as "webhookId", ${DELIVERY_STATE} as state,
           d.created_at as "createdAt", ${DELIVERY_FINISHED_AT} as "finishedAt",
           case when ${IS_LIVE} then d.defer_reason end as "heldReason"
      from deliveries d
      join webhooks w on w.id = d.webhook_id and w.gateway = ${gateway}
     where d.event_id = any(${[...eventIds]}::uuid[])
     order by d.id`)
  if (deliveries.length === 0) return []
  const traced = new Map(deliveries.map(({ deliveryId }) => [deliveryId, [] as TracedAttempt[]]))
  const attempts = await database.read<TracedAttempt & { deliveryId: bigint }>(sql`
    select k.id as "deliveryId", a.number, a.started_at as "startedAt", a.finished_at as "finishedAt", a.outcome,
           a.status_code as "statusCode", a.error
      from unnest(${bigints([...traced.keys()])}) as k (id)
     cross join lateral (
       select * from delivery_attempts where delivery_id = k.id order by number desc limit ${ATTEMPTS_KEPT}) a
     order by a.delivery_id, a.number`)
  for (const { deliveryId, ...attempt } of attempts) traced.get(deliveryId)!.push(attempt)
  return deliveries.map(delivery => ({ ...delivery, attempts: traced.get(delivery.deliveryId)! }))
}

/** A webhook that is notified of a payment later. */
export interface TracedWait {
  eventId: string
  webhookId: bigint
  /** `facts`: the recipient or token that its filters need; `finality`: until the payment is final */
  awaits: 'facts' | 'finality'
}

/**
 * The active webhooks of one gateway that still wait for events.
 * Relies on the index of waiting messages by event, and on the key of webhooks.
 */
export const listTracedWaits = (
  { database }: Store,
  eventIds: readonly string[],
  gateway: string,
): Promise<readonly TracedWait[]> =>
  database.read<TracedWait>(sql`
    select a.event_id as "eventId", a.webhook_id as "webhookId", case a.waits_for when 'details' then 'facts' else a.waits_for end as awaits
      from waiting_messages a
      join webhooks w on w.id = a.webhook_id and w.gateway = ${gateway} and ${IS_ACTIVE}
     where a.event_id = any(${[...eventIds]}::uuid[]) and a.lifecycle is null
     order by a.webhook_id, a.waits_for`)
