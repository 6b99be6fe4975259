// Reads stored events again in the form in which ingest read their messages.
import { inline, sql } from '../database/sql.js'
import { MAX_TRACKING_ID_BYTES, orderOf, readMessage, type ChainEvent } from '@payment-tracking/domain'
import { DATA_TEXT } from './payment-data.js'
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

/**
 * The data of a payment `e` that the archive shortened: its columns, and its message's details. The memo is not kept, nor read here:
 * its tracking ID is a column.
 */
const SHRUNK_PAYMENT = sql`
  (case e.name
     when 'PaymentRecord' then
       jsonb_build_object('payment_policy', e.payment_policy, 'amount', e.amount::text,
                          'memo', array_fill(0, array[${inline(MAX_TRACKING_ID_BYTES)}]))
     else jsonb_build_object('composable_policy', e.payment_policy, 'input_amount', e.amount::text) end
   || jsonb_build_object('gateway', e.gateway, 'timestamp', e.paid_at::text, 'record_id', e.record_id) || e.data::jsonb)::text`

/** Columns of `events e`. */
export const STORED_COLUMNS = sql`e.id, e.position, e.slot, e.signature, e.transaction_index, e.event_index,
  e.name, case when e.shrunk then ${SHRUNK_PAYMENT} else ${DATA_TEXT} end as data,
  e.occurred_at`

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
