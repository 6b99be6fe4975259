// Control messages: statements of the indexer about the chain itself, on their own subjects. They are never served as
// events.
import { isSignature } from '../keys/addresses.js'
import { isObject, readExactJson, type ExactJsonObject } from '../json/exact-json.js'
import type { Refusal } from './chain-event.js'
import { readFunds, type TokenAccountSeen } from './funds-message.js'
import { Refused } from './refused.js'
import { readSafeInteger } from '../json/safe-integer.js'

/** A transaction that the finalized chain does not hold. Transactions of a slot are named one by one. */
export interface RetractedTransaction {
  signature: string
  slot: number
}

/** A part of the chain that the indexer could not read. It is sent again with `closed` after the part was read. */
export interface ChainGap {
  signature: string | null
  fromSlot: number
  toSlot: number
  reason: string
  bytes: Uint8Array | null
  closed: boolean
}

export type ControlMessage =
  /** every event of slots up to `slot` is final */
  | { kind: 'finalized'; slot: number }
  | ({ kind: 'retracted' } & RetractedTransaction)
  | ({ kind: 'gap' } & ChainGap)
  | ({ kind: 'funds' } & TokenAccountSeen)

export type ReadControlResult = { ok: true; control: ControlMessage } | { ok: false; refusal: Refusal }

/** A sentence or two; longer reasons are cut. */
const MOST_REASON = 1_000
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/
const MAX_DEPTH = 8
/** Text that Postgres cannot store. */
const HALF_PAIR = /\p{Surrogate}/gu

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function refuse(expected: string): never {
  throw new Refused('BAD_CONTROL', `a control message must ${expected}`)
}

function readBody(bytes: Uint8Array): ExactJsonObject {
  let value
  try {
    ;({ value } = readExactJson(utf8.decode(bytes), MAX_DEPTH))
  } catch {
    refuse(`be one JSON object in UTF-8, nested at most ${MAX_DEPTH} levels deep`)
  }
  return isObject(value) ? value : refuse('be one JSON object')
}

function readSlot(body: ExactJsonObject, name: string): number {
  return readSafeInteger(body[name], 1) ?? refuse(`have ${name}, an integer from 1 to 2^53-1`)
}

function readSignature(body: ExactJsonObject): string {
  const { signature } = body
  if (typeof signature === 'string' && isSignature(signature)) return signature
  return refuse('have signature, base58 of exactly 64 bytes')
}

function readGapBytes({ bytes }: ExactJsonObject): Uint8Array | null {
  if ((bytes ?? null) === null) return null
  if (typeof bytes !== 'string' || !BASE64.test(bytes)) refuse('have bytes in base64 or none')
  return Buffer.from(bytes, 'base64')
}

function readGap(body: ExactJsonObject): ChainGap {
  const fromSlot = readSlot(body, 'fromSlot')
  const toSlot = readSlot(body, 'toSlot')
  if (toSlot < fromSlot) refuse('have toSlot not below fromSlot')
  const closed = body.closed ?? false
  if (typeof closed !== 'boolean') refuse('have closed, true or false, or none')
  const reason = body.reason ?? (closed ? '' : null)
  if (typeof reason !== 'string') refuse('have reason, a text')
  return {
    signature: (body.signature ?? null) === null ? null : readSignature(body),
    fromSlot,
    toSlot,
    reason: reason.replaceAll('\0', '').slice(0, MOST_REASON).replaceAll(HALF_PAIR, ''),
    bytes: readGapBytes(body),
    closed,
  }
}

function readKind(kind: string, bytes: Uint8Array): ControlMessage {
  if (kind === 'finalized') return { kind, slot: readSlot(readBody(bytes), 'slot') }
  if (kind === 'retracted') {
    const body = readBody(bytes)
    return { kind, signature: readSignature(body), slot: readSlot(body, 'slot') }
  }
  if (kind === 'gap') return { kind, ...readGap(readBody(bytes)) }
  if (kind === 'funds') return { kind, ...readFunds(readBody(bytes)) }
  return refuse('be of the kind finalized, retracted, gap or funds')
}

/**
 * Checks a control message. Never throws, whatever the bytes are.
 * @param kind the last part of its subject: `finalized`, `retracted`, `gap` or `funds`
 */
export function readControlMessage(kind: string, bytes: Uint8Array): ReadControlResult {
  try {
    return { ok: true, control: readKind(kind, bytes) }
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    return { ok: false, refusal: { code: error.code, reason: error.message } }
  }
}
