import type { Store } from '../database/open-store.js'
import { sql } from '../database/sql.js'

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
  /**
   * when it was announced to sockets and its deliveries were enqueued; null before that, or when the batch is removed
   */
  handedOverAt: Date | null
  /** whether the payment was announced: only announced batches are ever removed */
  isAnnounced: boolean
}

interface TraceRow {
  event_id: string
  tracking_id: string | null
  seq: bigint | null
  payment_policy: string
  gateway: string
  amount: string
  record_id: bigint
  slot: bigint
  occurred_at: Date
  paid_at: bigint
  stream_sequence: bigint
  position: bigint
  committed_at: Date | null
  handed_over_at: Date | null
  is_announced: boolean
}

/**
 * The payments of a transaction, in their order in it.
 * Relies on events_signature_hash, then one probe of ingest_batches_first_position_key a payment.
 */
export async function readPaymentTrace({ database }: Store, signature: string): Promise<PaymentTrace[]> {
  const rows = await database.lookUp<TraceRow>(sql`
    select e.id as event_id, e.tracking_id, e.seq, e.payment_policy, e.gateway, e.amount::text as amount,
           e.record_id, e.slot, e.occurred_at, e.paid_at, e.stream_sequence, e.position,
           b.committed_at, b.handed_over_at, b.handed_over_at is not null or b.last_position is null as is_announced
      from events e
      left join lateral (
        select last_position, committed_at, handed_over_at from ingest_batches
         where first_position <= e.position order by first_position desc limit 1
      ) b on b.last_position >= e.position
     where e.signature = ${signature} and e.name in ('PaymentRecord', 'ComposableExecuted')
     order by e.event_index, e.id`)
  return rows.map(row => ({
    eventId: row.event_id,
    trackingId: row.tracking_id,
    seq: row.seq,
    paymentPolicy: row.payment_policy,
    gateway: row.gateway,
    amount: BigInt(row.amount),
    recordId: Number(row.record_id),
    slot: Number(row.slot),
    occurredAt: row.occurred_at,
    paidAt: row.paid_at,
    streamSequence: row.stream_sequence,
    position: row.position,
    committedAt: row.committed_at,
    handedOverAt: row.handed_over_at,
    isAnnounced: row.is_announced,
  }))
}

/** An attempt at a delivery, without its request and response. */
export interface TracedAttempt {
  number: number
  startedAt: Date
  finishedAt: Date | null
  outcome: string | null
  statusCode: number | null
}

/** A delivery of a payment to one webhook of a gateway. */
export interface TracedDelivery {
  eventId: string
  deliveryId: bigint
  webhookId: bigint
  state: string
  createdAt: Date
  finishedAt: Date | null
  attempts: TracedAttempt[]
}

interface DeliveryRow {
  event_id: string
  delivery_id: bigint
  webhook_id: bigint
  state: string
  created_at: Date
  finished_at: Date | null
  number: number | null
  started_at: Date | null
  attempt_finished_at: Date | null
  outcome: string | null
  status_code: number | null
}

/**
 * The deliveries of events to the webhooks of one gateway, and of no other, with their attempts in order.
 * Relies on the index of deliveries by event, the key of webhooks and the index of attempts by delivery.
 */
export async function listTracedDeliveries(
  { database }: Store,
  eventIds: readonly string[],
  gateway: string,
): Promise<TracedDelivery[]> {
  const rows = await database.read<DeliveryRow>(sql`
    select d.event_id, d.id as delivery_id, d.webhook_id, d.state, d.created_at, d.finished_at,
           a.number, a.started_at, a.finished_at as attempt_finished_at, a.outcome, a.status_code
      from deliveries d
      join webhooks w on w.id = d.webhook_id and w.gateway = ${gateway}
      left join delivery_attempts a on a.delivery_id = d.id
     where d.event_id = any(${[...eventIds]}::uuid[])
     order by d.id, a.number, a.id`)
  const deliveries = new Map<bigint, TracedDelivery>()
  for (const row of rows) {
    const delivery = deliveries.get(row.delivery_id) ?? toDelivery(row)
    deliveries.set(row.delivery_id, delivery)
    if (row.number === null || row.started_at === null) continue
    delivery.attempts.push({
      number: row.number,
      startedAt: row.started_at,
      finishedAt: row.attempt_finished_at,
      outcome: row.outcome,
      statusCode: row.status_code,
    })
  }
  return [...deliveries.values()]
}

const toDelivery = (row: DeliveryRow): TracedDelivery => ({
  eventId: row.event_id,
  deliveryId: row.delivery_id,
  webhookId: row.webhook_id,
  state: row.state,
  createdAt: row.created_at,
  finishedAt: row.finished_at,
  attempts: [],
})

/** A webhook that is told of a payment later. */
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
): Promise<TracedWait[]> =>
  database.read<TracedWait>(sql`
    select a.event_id as "eventId", a.webhook_id as "webhookId", a.waits_for as awaits
      from waiting_messages a
      join webhooks w on w.id = a.webhook_id and w.gateway = ${gateway} and w.active and w.deleted_at is null
     where a.event_id = any(${[...eventIds]}::uuid[]) and a.lifecycle is null
     order by a.webhook_id, a.waits_for`)
