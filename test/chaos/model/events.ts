// Turns the stream's messages into the expected events, and lists the refused messages with their reasons.
import type { PlannedMessage } from '../plan/messages.js'
import { identityOf, wordingOf, type Message } from './identity.js'

export interface ModelEvent {
  identity: string
  message: Message
  /** The finalized chain does not hold the event's transaction: the event counts nowhere. */
  retracted: boolean
  /** A message that agrees with the event says that the event is final. */
  saidFinal: boolean
  /** How `data` may stand in the store: as any of the messages that agree wrote it. */
  dataTexts: Set<string>
}

export interface ModelLetter {
  sequence: number
  code: string
  bytes: string
}

export interface ModelEvents {
  events: ModelEvent[]
  letters: ModelLetter[]
  /** the highest slot that is known to be final; 0 when none is */
  finalizedSlot: number
  /** signatures of transactions that were retracted, each in one slot */
  retracted: ReadonlySet<string>
}

/**
 * @param stream what is in the stream, in its order
 * @param wordingStored which of the contradicting wordings the service stored first: the one thing that may
 *   depend on the order of arrival. undefined: none of them
 */
export function readStream(
  stream: readonly { sequence: number; message: PlannedMessage }[],
  wordingStored: (identity: string) => string | undefined,
): ModelEvents {
  const byIdentity = new Map<string, Map<string, ModelEvent>>()
  const sayings: { identity: string; wording: string; sequence: number; bytes: string }[] = []
  const letters: ModelLetter[] = []
  let finalizedSlot = 0
  const retracted = new Map<string, number>()
  for (const { message } of stream) {
    const { control } = message
    if (control?.kind === 'finalized') finalizedSlot = Math.max(finalizedSlot, control.slot)
    if (control?.kind === 'retracted') retracted.set(control.signature, control.slot)
  }
  for (const { sequence, message } of stream) {
    if (message.control !== null) continue
    if (message.refusal !== null) {
      letters.push({ sequence, code: message.refusal, bytes: message.bytes })
      continue
    }
    const said = message.message!
    const identity = identityOf(said)
    const wording = wordingOf(said)
    const wordings = byIdentity.get(identity) ?? new Map<string, ModelEvent>()
    byIdentity.set(identity, wordings)
    const event = wordings.get(wording) ?? {
      identity,
      message: said,
      retracted: retracted.get(said.signature) === said.slot,
      saidFinal: false,
      dataTexts: new Set<string>(),
    }
    wordings.set(wording, event)
    event.saidFinal ||= message.finalized
    event.dataTexts.add(message.dataText)
    sayings.push({ identity, wording, sequence, bytes: message.bytes })
  }
  const chosen = new Map<string, string>()
  const events: ModelEvent[] = []
  for (const [identity, wordings] of byIdentity) {
    const stored = wordings.size > 1 ? wordingStored(identity) : undefined
    const wording = stored !== undefined && wordings.has(stored) ? stored : [...wordings.keys()][0]!
    chosen.set(identity, wording)
    events.push(wordings.get(wording)!)
  }
  for (const { identity, wording, sequence, bytes } of sayings) {
    if (chosen.get(identity) !== wording) letters.push({ sequence, code: 'CONFLICT', bytes })
  }
  return { events, letters, finalizedSlot, retracted: new Set(retracted.keys()) }
}
