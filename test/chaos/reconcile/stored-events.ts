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
  const rows = await checker.query<Omit<StoredEvent, 'key'> & Row & { paidAt: string }>(`
    select id, position::float8, seq::float8, slot, signature, name, event_index, payment_policy, record_id,
           event_index::float8 as "eventIndex", data::text as "dataText", amount::text, paid_at::text as "paidAt",
           (extract(epoch from occurred_at) * 1000)::float8 as "occurredAtMs", tracking_id as "trackingId",
           payment_policy as "paymentPolicy", gateway, retracted_at is not null as retracted
      from events order by events.position`)
  return rows.map(row => ({ ...row, key: keyOfRow(row), dataText: dataTextOf(row) }))
}

/** The data as the message had them. A row holds of a usual payment what no other column has: store/core/tables/payment-data.ts. */
function dataTextOf(row: Omit<StoredEvent, 'key'> & Row & { paidAt: string }): string {
  if (!row.dataText.startsWith('[')) return row.dataText
  const held = JSON.parse(row.dataText) as (number | string)[]
  const memo = held.filter(entry => typeof entry === 'number')
  const [payer, recipient, token_mint] = held.slice(memo.length)
  return JSON.stringify({
    payment_policy: row.paymentPolicy,
    gateway: row.gateway,
    amount: row.amount,
    timestamp: row.paidAt,
    memo: [...memo, ...Array<number>(64 - memo.length).fill(0)],
    record_id: Number(row.record_id),
    ...(payer === undefined ? {} : { payer, recipient, token_mint }),
  })
}
