// A message as the plan holds it, and as bytes: what is published, and what must become of it.
import type { ChainMessage } from '@payment-tracking/testkit'

/** What the indexer says of the chain itself. */
export type PlannedControl =
  | { kind: 'finalized'; slot: number }
  | { kind: 'retracted'; signature: string; slot: number }

export interface PlannedMessage {
  /** What goes over the wire. */
  bytes: string
  /** Of a control message; null for events and rubbish. */
  control: PlannedControl | null
  /** The message says that its transaction is final. */
  finalized: boolean
  /** What it says; null for rubbish. */
  message: (Omit<ChainMessage, 'index'> & { index?: number }) | null
  /** `data` as it stands in the bytes; what is served must be this text. */
  dataText: string
  /** The code by which rubbish must be refused; null for what is an event. */
  refusal: string | null
}

/** How an indexer may write the same event; all of them agree. */
export interface Style {
  taggedEnums: boolean
  /** u64 and i64 as literals instead of decimal strings */
  literals: boolean
  reversed: boolean
  prefixed: boolean
  /** the publisher knows where in its block the transaction stands */
  indexed: boolean
  finalized: boolean
}

export const PLAIN: Style = {
  taggedEnums: false,
  literals: false,
  reversed: false,
  prefixed: false,
  indexed: false,
  finalized: false,
}

/** `{"variant": "Custom", "field": "7"}` → `{"Custom": "7"}`; others' fields go into an object. */
function tagged(value: unknown): unknown {
  if (Array.isArray(value) || typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([name, inner]) => [name, tagged(inner)] as const)
  const fields = Object.fromEntries(entries) as Record<string, unknown>
  if (typeof fields.variant !== 'string') return fields
  const { variant, ...rest } = fields
  const names = Object.keys(rest)
  const payload = names.length === 0 ? null : names.length === 1 && names[0] === 'field' ? rest.field : rest
  return { [variant]: payload }
}

const LITERAL_FIELDS =
  /"(amount|timestamp|next_payment_due|due_date|input_amount|output_amount|gateway_fee|protocol_fee)":"(-?\d+)"/g

/** The same in every copy: a transaction has one place. */
const TRANSACTION_INDEX = 7

export function writeMessage(message: PlannedMessage['message'] & object, style: Style): PlannedMessage {
  let data = message.data
  if (style.taggedEnums) data = tagged(data) as Record<string, unknown>
  if (style.reversed) data = Object.fromEntries(Object.entries(data).reverse())
  let dataText = JSON.stringify(data)
  if (style.literals) dataText = dataText.replace(LITERAL_FIELDS, '"$1":$2')
  const name = style.prefixed ? `tributary_${message.event_name}` : message.event_name
  const envelope = JSON.stringify({
    ...message,
    ...(style.indexed && { transaction_index: TRANSACTION_INDEX }),
    ...(style.finalized && { commitment: 'finalized' }),
    event_name: name,
    data: null,
  })
  return {
    bytes: envelope.replace('"data":null', `"data":${dataText}`),
    control: null,
    finalized: style.finalized,
    message,
    dataText,
    refusal: null,
  }
}

export function writeControl(control: PlannedControl): PlannedMessage {
  const { kind: _kind, ...body } = control
  return {
    bytes: JSON.stringify(body),
    control,
    finalized: false,
    message: null,
    dataText: '',
    refusal: null,
  }
}
