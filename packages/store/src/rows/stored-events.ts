// Reads stored events again in the form in which ingest read their messages.
import { sql } from '../database/sql.js'
import { orderOf, readMessage, type ChainEvent } from '@payment-tracking/domain'
import { StoreContentsError } from '../errors.js'

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

/**
 * The stored event as ingest read it. Id and order come from the row, because the message may lack an index.
 * @throws StoreContentsError when ingest would refuse the event: something else wrote the row
 */
export function readStored(row: StoredRow, programId: string): ChainEvent {
  const message = `{"slot":${row.slot},"signature":${JSON.stringify(row.signature)},"index":${row.event_index},"transaction_index":${row.transaction_index},"event_name":${JSON.stringify(row.name)},"data":${row.data},"timestamp":"${row.occurred_at.toISOString()}"}`
  const read = readMessage(new TextEncoder().encode(message), { programId, requireProgramId: false })
  if (!read.ok)
    throw new StoreContentsError(`the stored event ${row.id} cannot be read: ${read.refusal.reason}`)
  return { ...read.event, id: row.id, order: orderOf(read.event, row.id) }
}
