import { EVENT_NAME, EVENT_NAME_PREFIX } from '@payment-tracking/contracts'
import { isSignature } from '../keys/addresses.js'
import { canonicalJson } from './canonical-json.js'
import type { ChainEvent, Commitment, ReadResult } from './chain-event.js'
import { readerOf } from './event-readers.js'
import { TooDeepError, isObject, readExactJson } from '../json/exact-json.js'
import type { ExactJson, ExactJsonObject, ReadJson } from '../json/exact-json.js'
import { fingerprintOf, idOfEvent, idOfPayment, orderOf } from './identity.js'
import { DIRECT_TRANSFER_POLICY } from './direct-transfer.js'
import { writeJson } from '../json/json.js'
import { Refused } from './refused.js'
import { readSafeInteger } from '../json/safe-integer.js'
import { readTimestamp } from '../time/timestamp.js'

export interface ReadSettings {
  /** base58: the program whose events count */
  programId: string
  /** also refuse what does not say which program it is of */
  requireProgramId: boolean
}

/** No honest event comes near; Postgres' json parser and every recursion of ours stay far from their limits. */
const MAX_DEPTH = 64
const U32_MAX = 2 ** 32 - 1

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * Checks a message of the indexer and says what it means. Never throws for what the bytes hold: a message
 * that is refused comes with its reason.
 */
export function readMessage(bytes: Uint8Array, settings: ReadSettings): ReadResult {
  try {
    return { ok: true, event: readEvent(readEnvelope(bytes), settings) }
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    return { ok: false, refusal: { code: error.code, reason: error.message } }
  }
}

interface Envelope {
  envelope: ExactJsonObject
  /** `JSON.stringify` writes it without loss */
  plain: boolean
}

function readEnvelope(bytes: Uint8Array): Envelope {
  const { value, plain } = parse(bytes)
  if (!isObject(value)) throw new Refused('NOT_AN_EVENT', 'the message must be a JSON object')
  return { envelope: value, plain }
}

function parse(bytes: Uint8Array): ReadJson {
  try {
    return readExactJson(utf8.decode(bytes), MAX_DEPTH)
  } catch (error) {
    if (error instanceof TooDeepError) {
      throw new Refused('TOO_DEEP', `the message must not be nested deeper than ${MAX_DEPTH} levels`)
    }
    // TextDecoder throws TypeError, JSON.parse SyntaxError; nothing else can go wrong in either.
    throw new Refused('NOT_JSON', 'the message must be one JSON text in UTF-8')
  }
}

function readEvent({ envelope, plain }: Envelope, settings: ReadSettings): ChainEvent {
  checkProgram(envelope, settings)
  const slot = readSlot(envelope)
  const signature = readSignature(envelope)
  const index = readIndex(envelope)
  const transactionIndex = readTransactionIndex(envelope)
  const commitment = readCommitment(envelope)
  const name = readName(envelope)
  const occurredAtMs = readOccurredAt(envelope)
  const data = readData(envelope)
  const { effect, filters, normalised } = readerOf(name)(data, settings.programId)

  const canonical = canonicalJson(normalised)
  const id =
    name === 'PaymentRecord' && effect.kind === 'payment' && effect.policy !== DIRECT_TRANSFER_POLICY
      ? idOfPayment(signature, effect.policy, effect.recordId)
      : idOfEvent(signature, index, name, canonical)
  const fingerprint = fingerprintOf(slot, occurredAtMs, canonical)
  const chainPosition = { slot, transactionIndex, index: index ?? 0 }
  return {
    id,
    order: orderOf(chainPosition, id),
    fingerprint,
    ...chainPosition,
    commitment,
    signature,
    name,
    occurredAt: new Date(occurredAtMs),
    data: plain ? JSON.stringify(data) : writeJson(data),
    gateway: filters.gateway ?? null,
    paymentPolicy: filters.paymentPolicy ?? null,
    userPayment: filters.userPayment ?? null,
    authority: filters.authority ?? null,
    recipient: filters.recipient ?? null,
    trackingId: filters.trackingId ?? null,
    effect,
  }
}

/** First of all checks: whatever else is wrong with it, a foreign program's event is foreign. */
function checkProgram(envelope: ExactJsonObject, { programId, requireProgramId }: ReadSettings): void {
  const given = envelope.program_id ?? null
  if (given === null && requireProgramId) {
    throw new Refused('FOREIGN_PROGRAM', 'program_id must be given: this service requires it')
  }
  if (given !== null && given !== programId) {
    throw new Refused('FOREIGN_PROGRAM', 'program_id must be the program that this service follows')
  }
}

const readU32 = (value: ExactJson | undefined): number | undefined =>
  typeof value === 'number' && value >= 0 && value <= U32_MAX ? value : undefined

function readSlot(envelope: ExactJsonObject): number {
  const slot = readSafeInteger(envelope.slot, 1)
  if (slot === undefined) throw new Refused('BAD_SLOT', 'slot must be an integer from 1 to 2^53-1')
  return slot
}

/** @returns null when the publisher does not say */
function readIndex(envelope: ExactJsonObject): number | null {
  if ((envelope.index ?? null) === null) return null
  const index = readU32(envelope.index)
  if (index === undefined) throw new Refused('BAD_INDEX', 'index must be an integer from 0 to 2^32-1')
  return index
}

function readTransactionIndex({ transaction_index: given }: ExactJsonObject): number {
  if ((given ?? null) === null) return 0
  const index = readU32(given)
  if (index !== undefined) return index
  throw new Refused('BAD_TRANSACTION_INDEX', 'transaction_index must be an integer from 0 to 2^32-1')
}

/** Finality is never claimed without evidence: a message that says nothing is confirmed. */
function readCommitment({ commitment }: ExactJsonObject): Commitment {
  if ((commitment ?? null) === null) return 'confirmed'
  if (commitment === 'confirmed' || commitment === 'finalized') return commitment
  throw new Refused('BAD_COMMITMENT', 'commitment must be confirmed or finalized')
}

function readSignature({ signature }: ExactJsonObject): string {
  if (typeof signature === 'string' && isSignature(signature)) return signature
  throw new Refused('BAD_SIGNATURE', 'signature must be base58 of exactly 64 bytes')
}

function readName({ event_name: given }: ExactJsonObject): string {
  const name = typeof given === 'string' ? given.replace(EVENT_NAME_PREFIX, '') : ''
  if (EVENT_NAME.test(name)) return name
  throw new Refused('BAD_EVENT_NAME', 'event_name must be 1 to 64 letters, digits or underscores')
}

function readOccurredAt({ timestamp }: ExactJsonObject): number {
  const ms = typeof timestamp === 'string' ? readTimestamp(timestamp) : undefined
  if (ms !== undefined) return ms
  throw new Refused('BAD_TIMESTAMP', 'timestamp must be an RFC 3339 date-time from 1970 to 9999')
}

function readData({ data }: ExactJsonObject): ExactJsonObject {
  if (isObject(data)) return data
  throw new Refused('BAD_DATA', 'data must be a JSON object')
}
