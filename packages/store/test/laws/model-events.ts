// Which events stand, and what is known of each, by the contract alone: identity, contradictions, retractions, finality.
import { NO_POLICY } from './addresses.js'
import { Enum, isEvent, type EventMessage, type Fields, type Message, type Value } from './messages.js'

export interface Standing {
  /** names the event in the model and in the database */
  key: string
  name: string
  signature: string
  slot: number
  transactionIndex: number
  index: number
  /** ms since 1970 */
  at: number
  data: Fields
  retracted: boolean
  isFinal: boolean
  /** some copies do not know its place */
  moves: boolean
}

export interface Stood {
  events: Standing[]
  /** messages that contradict the event that stands, and wait for nothing */
  conflicts: number
}

const text = (value: Value | undefined): string => `${value as string | number}`

/** One text for one meaning, whichever style it was written in. */
function meaningOf(value: Value): string {
  if (value instanceof Enum) return `${value.variant}(${meaningOf(value.payload)})`
  if (value instanceof Uint8Array) return value.join()
  if (Array.isArray(value)) return `[${value.map(meaningOf).join()}]`
  if (typeof value !== 'object' || value === null) return String(value)
  const fields = Object.entries(value as Fields).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${fields.map(([name, of]) => `${name}:${meaningOf(of)}`).join()}}`
}

const isRecordOfPolicy = ({ name, data }: EventMessage): boolean =>
  name === 'PaymentRecord' && data.payment_policy !== NO_POLICY

function identityOf(message: EventMessage): string {
  const { signature, name, index, data } = message
  if (isRecordOfPolicy(message)) return `${signature} ${text(data.payment_policy)} ${text(data.record_id)}`
  return index === undefined ? `${signature} ${name} ${meaningOf(data)}` : `${signature} ${index} ${name}`
}

/** The same for a message and for a row: see `keyOfRow`. No two events of a history share it. */
const keyOf = (message: EventMessage): string => {
  const { signature, slot, name, index, data } = message
  const place = isRecordOfPolicy(message)
    ? `${text(data.payment_policy)} ${text(data.record_id)}`
    : (index ?? 0)
  return `${signature} ${slot} ${name} ${place}`
}

/** @param messages in an order of arrival; only the order of messages of one transaction matters */
export function standingOf(messages: readonly Message[]): Stood {
  const retracted = new Set<string>()
  let finalizedSlot = 0
  for (const message of messages) {
    if (message.kind === 'retracted') retracted.add(`${message.signature} ${message.slot}`)
    if (message.kind === 'finalized') finalizedSlot = Math.max(finalizedSlot, message.slot)
  }
  const identities = new Map<string, EventMessage[]>()
  for (const message of messages.filter(isEvent)) {
    const identity = identityOf(message)
    const said = identities.get(identity)
    if (said) said.push(message)
    else identities.set(identity, [message])
  }
  const events: Standing[] = []
  let conflicts = 0
  for (const said of identities.values()) {
    const isRetracted = ({ signature, slot }: EventMessage) => retracted.has(`${signature} ${slot}`)
    const slots = new Set(said.filter(isRetracted).map(({ slot }) => slot))
    const first = said.find(message => !isRetracted(message))
    if (first) slots.add(first.slot)
    conflicts += said.filter(({ slot }) => !slots.has(slot)).length
    for (const slot of slots) {
      const there = said.filter(message => message.slot === slot)
      const copies = there.filter(message => agree(message, there[0]!))
      conflicts += there.length - copies.length
      events.push(combine(copies, isRetracted(there[0]!), slot <= finalizedSlot))
    }
  }
  return { events, conflicts }
}

const agree = (a: EventMessage, b: EventMessage): boolean =>
  a.at === b.at && meaningOf(a.data) === meaningOf(b.data)

/** The place that any of the copies knows: an unknown number is 0. */
function combine(copies: readonly EventMessage[], retracted: boolean, isBelow: boolean): Standing {
  const [{ name, signature, slot, at, data }] = copies as [EventMessage]
  return {
    key: keyOf(copies[0]!),
    name,
    signature,
    slot,
    at,
    data,
    retracted,
    transactionIndex: Math.max(...copies.map(copy => copy.transactionIndex ?? 0)),
    index: Math.max(...copies.map(copy => copy.index ?? 0)),
    isFinal: !retracted && (isBelow || copies.some(({ finalized }) => finalized)),
    moves: new Set(copies.map(copy => `${copy.transactionIndex} ${copy.index}`)).size > 1,
  }
}

/** Chain order. No two events of a world that stand share a place. */
export const compare = (a: Standing, b: Standing): number =>
  a.slot - b.slot || a.transactionIndex - b.transactionIndex || a.index - b.index

export const isPayment = ({ name }: Standing): boolean =>
  name === 'PaymentRecord' || name === 'ComposableExecuted'

/** The policy that an event names, or null for a direct transfer and for events of other things. */
export function policyNamed({ data }: Standing): string | null {
  const named = data.payment_policy ?? data.composable_policy ?? null
  return named === NO_POLICY ? null : (named as string | null)
}
