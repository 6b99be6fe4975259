// Reads stored events again in the form in which ingest read their messages.
import { sql } from '../database/sql.js'
import { orderOf, readMessage, type ChainEvent } from '@payment-tracking/domain'

export interface StoredRow {
  id: string
  position: bigint
  slot: bigint
  signature: string
  transaction_index: bigint
  event_index: bigint
  name: string
  data: string
  occurred_at: Date
}

/** Columns of `events e`. */
export const STORED_COLUMNS = sql`e.id, e.position, e.slot, e.signature, e.transaction_index, e.event_index,
  e.name, e.data::text as data, e.occurred_at`

/** An earlier release accepted larger numbers, for which an order has no room. */
const U32_MAX = 2n ** 32n - 1n

/** The stored event as ingest read it. Id and order come from the row, because the message may lack an index. */
export function readStored(row: StoredRow, programId: string): ChainEvent {
  const index = indexOf(row)
  const message = `{"slot":${row.slot},"signature":${JSON.stringify(row.signature)},"index":${index},"transaction_index":${row.transaction_index},"event_name":${JSON.stringify(row.name)},"data":${row.data},"timestamp":"${row.occurred_at.toISOString()}"}`
  const read = readMessage(new TextEncoder().encode(message), { programId, requireProgramId: false })
  if (!read.ok) return readWithoutEffect(row)
  return { ...read.event, id: row.id, order: orderOf(read.event, row.id) }
}

const indexOf = ({ event_index: index }: StoredRow): bigint => (index > U32_MAX ? U32_MAX : index)

/**
 * An earlier release stored events without checks that this release makes. Events that this release would refuse have
 * no effect. Takes the row as it is: whatever `readMessage` refused, this function cannot fail for the same reason.
 */
function readWithoutEffect(row: StoredRow): ChainEvent {
  const place = {
    slot: Number(row.slot),
    transactionIndex: Number(row.transaction_index),
    index: Number(indexOf(row)),
  }
  return {
    id: row.id,
    order: orderOf(place, row.id),
    ...place,
    // No message can agree with a row whose message would be refused.
    aliases: [],
    fingerprint: '',
    commitment: 'confirmed',
    signature: row.signature,
    name: row.name,
    occurredAt: row.occurred_at,
    data: row.data,
    gateway: null,
    paymentPolicy: null,
    userPayment: null,
    authority: null,
    recipient: null,
    trackingId: null,
    effect: { kind: 'none' },
  }
}
