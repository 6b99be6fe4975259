import { EVENT_NAME, EVENT_NAME_PREFIX } from '@payment-tracking/contracts'
import { isSignature } from './addresses.js'
import { canonicalJson } from './canonical-json.js'
import type { ChainEvent, ReadResult } from './chain-event.js'
import { readerOf } from './event-readers.js'
import { ExactNumber, TooDeepError, isObject, readExactJson } from './exact-json.js'
import type { ExactJson, ExactJsonObject, ReadJson } from './exact-json.js'
import { fingerprintOf, idOfEvent, idOfPayment, orderOf } from './identity.js'
import { writeJson } from './json.js'
import { Refused } from './refused.js'
import { readTimestamp } from './timestamp.js'

export interface ReadSettings {
  /** base58: the program whose events count */
  programId: string
  /** also refuse what does not say which program it is of */
  requireProgramId: boolean
}

/** No honest event comes near; Postgres' json parser and every recursion of ours stay far from their limits. */
const MAX_DEPTH = 64

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
  const name = readName(envelope)
  const occurredAtMs = readOccurredAt(envelope)
  const data = readData(envelope)
  const { effect, filters, normalised } = readerOf(name)(data, settings.programId)

  const canonical = canonicalJson(normalised)
  const id =
    effect.kind === 'payment'
      ? idOfPayment(signature, effect.policy, effect.recordId)
      : idOfEvent(signature, index, name, canonical)
  return {
    id,
    order: orderOf(slot, index ?? 0, id),
    fingerprint: fingerprintOf(slot, occurredAtMs, canonical),
    slot,
    index: index ?? 0,
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

/** An integer literal from `min` to 2^53-1; up to 15 digits come as a number, longer ones as their text. */
function readSafeInteger(value: ExactJson | undefined, min: number): number | undefined {
  const number = value instanceof ExactNumber && /^\d{16}$/.test(value.text) ? Number(value.text) : value
  return typeof number === 'number' && Number.isSafeInteger(number) && number >= min ? number : undefined
}

function readSlot(envelope: ExactJsonObject): number {
  const slot = readSafeInteger(envelope.slot, 1)
  if (slot === undefined) throw new Refused('BAD_SLOT', 'slot must be an integer from 1 to 2^53-1')
  return slot
}

/** @returns null when the publisher does not say */
function readIndex(envelope: ExactJsonObject): number | null {
  if ((envelope.index ?? null) === null) return null
  const index = readSafeInteger(envelope.index, 0)
  if (index === undefined) throw new Refused('BAD_INDEX', 'index must be an integer from 0 to 2^53-1')
  return index
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
