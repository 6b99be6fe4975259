// Which events are valid, and what is known of each, by the contract alone: identity, contradictions, retractions, finality.
import { NO_POLICY } from './labels.js'
import { push } from './push.js'
import { isEvent, meaningOf, text, type Fields, type Said, type SaidEvent } from './said.js'

export interface ResolvedEvent {
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
  /** some copies do not know its position */
  moves: boolean
  /** the messages that agree about the event, in their order */
  copies: SaidEvent[]
}

export interface ResolvedEvents {
  events: ResolvedEvent[]
  /** messages that contradict the valid event, and wait for nothing */
  conflicts: SaidEvent[]
  /** everything up to this slot is final; 0 when nothing is known to be */
  finalizedSlot: number
}

const isRecordOfPolicy = ({ name, data }: SaidEvent): boolean =>
  name === 'PaymentRecord' && data.payment_policy !== NO_POLICY

function identityOf(message: SaidEvent): string {
  const { signature, name, index, data } = message
  if (isRecordOfPolicy(message)) return `${signature} ${text(data.payment_policy)} ${text(data.record_id)}`
  return index === undefined ? `${signature} ${name} ${meaningOf(data)}` : `${signature} ${index} ${name}`
}

/** The same for a message and for a row: see `keyOfRow`. No two events of a history share it. */
export const keyOf = (message: SaidEvent): string => {
  const { signature, slot, name, index, data } = message
  const position = isRecordOfPolicy(message)
    ? `${text(data.payment_policy)} ${text(data.record_id)}`
    : (index ?? 0)
  return `${signature} ${slot} ${name} ${position}`
}

/**
 * @param messages in an order of arrival. Only the order of messages of one event matters: of messages that contradict each
 *   other the first counts
 */
export function resolveEvents(messages: readonly Said[]): ResolvedEvents {
  const retracted = new Set<string>()
  let finalizedSlot = 0
  for (const message of messages) {
    if (message.kind === 'retracted') retracted.add(`${message.signature} ${message.slot}`)
    if (message.kind === 'finalized') finalizedSlot = Math.max(finalizedSlot, message.slot)
  }
  const identities = new Map<string, SaidEvent[]>()
  for (const message of messages.filter(isEvent)) push(identities, identityOf(message), message)
  const events: ResolvedEvent[] = []
  const conflicts: SaidEvent[] = []
  for (const said of identities.values()) {
    const isRetracted = ({ signature, slot }: SaidEvent) => retracted.has(`${signature} ${slot}`)
    const slots = new Set(said.filter(isRetracted).map(({ slot }) => slot))
    const first = said.find(message => !isRetracted(message))
    if (first) slots.add(first.slot)
    conflicts.push(...said.filter(({ slot }) => !slots.has(slot)))
    for (const slot of slots) {
      const there = said.filter(message => message.slot === slot)
      const copies = there.filter(message => agree(message, there[0]!))
      conflicts.push(...there.filter(message => !copies.includes(message)))
      events.push(combine(copies, isRetracted(there[0]!), slot <= finalizedSlot))
    }
  }
  return { events, conflicts, finalizedSlot }
}

const agree = (a: SaidEvent, b: SaidEvent): boolean =>
  a.at === b.at && meaningOf(a.data) === meaningOf(b.data)

/** The position that any of the copies knows: an unknown number is 0. */
function combine(copies: readonly SaidEvent[], retracted: boolean, isBelow: boolean): ResolvedEvent {
  const [{ name, signature, slot, at, data }] = copies as [SaidEvent]
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
    copies: [...copies],
  }
}

/** Chain order. No two valid events of a world share a position. */
export const compare = (a: ResolvedEvent, b: ResolvedEvent): number =>
  a.slot - b.slot || a.transactionIndex - b.transactionIndex || a.index - b.index

export const isPayment = ({ name }: Pick<ResolvedEvent, 'name'>): boolean =>
  name === 'PaymentRecord' || name === 'ComposableExecuted'

/** The policy that an event names, or null for a direct transfer and for events of other things. */
export function policyNamed({ data }: ResolvedEvent): string | null {
  const named = data.payment_policy ?? data.composable_policy ?? null
  return named === NO_POLICY ? null : (named as string | null)
}
