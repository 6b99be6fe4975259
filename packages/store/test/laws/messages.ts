// Messages of a history, as a publisher writes them, and as failures print them.
import {
  Enum,
  labelOf,
  type Fields,
  type Said,
  type SaidEvent,
  type Value,
} from '@payment-tracking/testkit/oracle'

/** @see SaidEvent */
export interface EventMessage extends SaidEvent {
  /** decides the message's rank in a shuffled order */
  key: number
  /** the style of enums and integers, one of two */
  tagged: boolean
}

export type Message = EventMessage | (Exclude<Said, SaidEvent> & { key: number })

/** JSON in one of two styles: tagged enums and integer literals, or variants and decimal strings. */
function write(value: Value, tagged: boolean): string {
  const inner = (of: Value) => write(of, tagged)
  if (typeof value === 'bigint') return tagged ? value.toString() : `"${value}"`
  if (value instanceof Uint8Array) return `[${value.join()}]`
  if (value instanceof Enum) return writeEnum(value, tagged)
  if (Array.isArray(value)) return `[${value.map(inner).join()}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  return `{${members(value as Fields, inner)}}`
}

const members = (fields: Fields, inner: (value: Value) => string): string =>
  Object.entries(fields)
    .map(([name, of]) => `${JSON.stringify(name)}:${inner(of)}`)
    .join()

function writeEnum({ variant, payload }: Enum, tagged: boolean): string {
  const inner = (of: Value) => write(of, tagged)
  if (tagged) return `{${JSON.stringify(variant)}:${inner(payload)}}`
  if (payload === null) return `{"variant":${JSON.stringify(variant)}}`
  const isFields = typeof payload === 'object' && !Array.isArray(payload) && !(payload instanceof Uint8Array)
  const rest =
    isFields && !(payload instanceof Enum) ? members(payload as Fields, inner) : `"field":${inner(payload)}`
  return `{"variant":${JSON.stringify(variant)},${rest}}`
}

export function bytesOf(message: EventMessage): Uint8Array {
  const { name, signature, slot, transactionIndex, index, finalized, at, data, tagged } = message
  const envelope: Fields = {
    slot,
    signature,
    ...(index === undefined ? {} : { index }),
    ...(transactionIndex === undefined ? {} : { transaction_index: transactionIndex }),
    ...(finalized ? { commitment: 'finalized' } : {}),
    event_name: tagged ? `tributary_${name}` : name,
    data,
    timestamp: new Date(at).toISOString(),
  }
  return Buffer.from(write(envelope, tagged))
}

function show(value: Value): string {
  if (typeof value === 'string') return labelOf(value)
  if (value instanceof Uint8Array) return JSON.stringify(Buffer.from(value).toString().replace(/\0+$/, ''))
  if (value instanceof Enum)
    return value.payload === null ? value.variant : `${value.variant} ${show(value.payload)}`
  if (Array.isArray(value)) return `[${value.map(show).join(', ')}]`
  if (typeof value !== 'object' || value === null) return String(value)
  const fields = Object.entries(value as Fields).map(([name, of]) => `${name}: ${show(of)}`)
  return `{${fields.join(', ')}}`
}

/** One line for a reader. */
export function describe(message: Message): string {
  if (message.kind === 'finalized') return `control: finalized up to slot ${message.slot}`
  if (message.kind === 'retracted')
    return `control: retracted ${labelOf(message.signature)} of slot ${message.slot}`
  const { name, signature, slot, transactionIndex, index, finalized, at, data } = message
  const position = `slot ${slot}, transaction ${transactionIndex ?? 'unknown'}, index ${index ?? 'unknown'}`
  const time = new Date(at).toISOString()
  return `${name} in ${labelOf(signature)} at ${position}, ${time}${finalized ? ', finalized' : ''} ${show(data)}`
}
