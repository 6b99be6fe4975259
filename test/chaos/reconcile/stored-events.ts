import { keyOfRow, type Row } from '@payment-tracking/testkit/oracle'
import type { CommitChecker } from '../load/commit-checker.js'

/** A row of `events`. */
export interface StoredEvent {
  /** as the oracle keys its own */
  key: string
  id: string
  position: number
  seq: number | null
  signature: string
  name: string
  eventIndex: number
  dataText: string
  occurredAtMs: number
  trackingId: string | null
  paymentPolicy: string | null
  gateway: string | null
  amount: string | null
  retracted: boolean
}

export async function readStoredEvents(checker: CommitChecker): Promise<StoredEvent[]> {
  const rows = await checker.query<Omit<StoredEvent, 'key'> & Row>(`
    select id, position::float8, seq::float8, slot, signature, name, event_index, payment_policy, record_id,
           event_index::float8 as "eventIndex", data::text as "dataText", amount::text,
           (extract(epoch from occurred_at) * 1000)::float8 as "occurredAtMs", tracking_id as "trackingId",
           payment_policy as "paymentPolicy", gateway, retracted_at is not null as retracted
      from events order by events.position`)
  return rows.map(row => ({ ...row, key: keyOfRow(row) }))
}
