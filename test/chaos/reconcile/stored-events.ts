import type { CommitChecker } from '../load/commit-checker.js'

/** A row of `events`, keyed as the model keys its own. */
export interface StoredEvent {
  id: string
  position: number
  seq: number | null
  slot: number
  signature: string
  name: string
  eventIndex: number
  dataText: string
  occurredAtMs: number
  trackingId: string | null
  paymentPolicy: string | null
  gateway: string | null
  recordId: number | null
  amount: string | null
  retracted: boolean
}

export async function readStoredEvents(checker: CommitChecker): Promise<StoredEvent[]> {
  const rows = await checker.query<Record<string, string | null>>(`
    select id, position::text, seq::text, slot::text, signature, name, event_index::text, data::text as data,
           (extract(epoch from occurred_at) * 1000)::bigint::text as occurred_at_ms, tracking_id, payment_policy,
           gateway, record_id::text, amount::text, (retracted_at is not null)::text as retracted
      from events order by events.position`)
  const number = (value: string | null) => (value === null ? null : Number(value))
  return rows.map(row => ({
    id: row.id!,
    position: Number(row.position),
    seq: number(row.seq!),
    slot: Number(row.slot),
    signature: row.signature!,
    name: row.name!,
    eventIndex: Number(row.event_index),
    dataText: row.data!,
    occurredAtMs: Number(row.occurred_at_ms),
    trackingId: row.tracking_id!,
    paymentPolicy: row.payment_policy!,
    gateway: row.gateway!,
    recordId: number(row.record_id!),
    amount: row.amount!,
    retracted: row.retracted === 'true',
  }))
}
