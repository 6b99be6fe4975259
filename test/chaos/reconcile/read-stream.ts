// What must follow from the stream: the oracle's model of it, and the messages that become dead letters.
import {
  buildModel,
  Enum,
  keyOf,
  text,
  type Fields,
  type Model,
  type Said,
  type SaidEvent,
  type Value,
} from '@payment-tracking/testkit/oracle'
import type { PlannedMessage } from '../plan/messages.js'
import type { StoredEvent } from './stored-events.js'

interface Entry {
  sequence: number
  message: PlannedMessage
}

export interface Letter {
  sequence: number
  code: string
  bytes: string
}

export interface Expected {
  model: Model
  /** How the `data` of an event may stand in the store: as any of the messages that agree wrote it. */
  dataTexts: ReadonlyMap<string, ReadonlySet<string>>
  letters: Letter[]
  /** signatures of transactions that were retracted, each in one slot */
  retracted: ReadonlySet<string>
}

/** @param stored decides which of the contradicting messages came first: that depends on the order of arrival */
export function readStream(stream: readonly Entry[], stored: readonly StoredEvent[]): Expected {
  const letters: Letter[] = []
  const entries = new Map<SaidEvent, Entry>()
  const controls: Exclude<Said, SaidEvent>[] = []
  for (const entry of stream) {
    const { sequence, message } = entry
    const { control, refusal, bytes } = message
    if (control !== null) controls.push(control)
    else if (refusal !== null) letters.push({ sequence, code: refusal, bytes })
    else entries.set(readEvent(message), entry)
  }
  const amounts = new Map(stored.map(({ key, amount }) => [key, amount]))
  // Contradictions of the plan are about the amount.
  const isStored = (said: SaidEvent) => amounts.get(keyOf(said)) === text(said.data.amount)
  const said = [...entries.keys()]
  const model = buildModel([
    ...controls,
    ...said.filter(isStored),
    ...said.filter(message => !isStored(message)),
  ])
  for (const message of model.conflicts) {
    const { sequence, message: written } = entries.get(message)!
    letters.push({ sequence, code: 'CONFLICT', bytes: written.bytes })
  }
  const textOf = (message: SaidEvent) => JSON.stringify(entries.get(message)!.message.message!.data)
  return {
    model,
    letters,
    dataTexts: new Map(model.events.map(({ key, copies }) => [key, new Set(copies.map(textOf))])),
    retracted: new Set(controls.flatMap(each => (each.kind === 'retracted' ? [each.signature] : []))),
  }
}

function readEvent({ message, finalized }: PlannedMessage): SaidEvent {
  const { event_name: name, signature, slot, index, timestamp, data } = message!
  const at = Date.parse(timestamp)
  const fields = valueOf(data) as Fields
  return {
    kind: 'event',
    name,
    signature,
    slot,
    transactionIndex: undefined,
    index,
    finalized,
    at,
    data: fields,
  }
}

/** The plan writes integers of 64 bits as decimal strings, and the variant of an enum beside its fields. */
function valueOf(value: unknown): Value {
  if (typeof value === 'string') return /^-?\d{1,20}$/.test(value) ? BigInt(value) : value
  if (typeof value !== 'object' || value === null) return value as Value
  if (Array.isArray(value))
    return value.every(Number.isInteger) ? Uint8Array.from(value as number[]) : value.map(valueOf)
  const { variant, ...rest } = value as { variant?: unknown; field?: unknown }
  if (typeof variant !== 'string')
    return Object.fromEntries(Object.entries(value).map(([name, of]) => [name, valueOf(of)]))
  const names = Object.keys(rest)
  if (names.length === 0) return new Enum(variant)
  return new Enum(variant, valueOf(names.join() === 'field' ? rest.field : rest))
}
