// Messages as an indexer writes them, to be bent by tests.
import bs58 from 'bs58'
import { readMessage, writeJson, type ChainEvent, type Refusal } from '../src/index.js'
import { PROGRAM_ID, SETTINGS } from './fixtures.js'

/** A key that can be told from others by its number. */
export const keyOf = (number: number): string => bs58.encode(new Uint8Array(32).fill(number))
export const SIGNATURE = bs58.encode(new Uint8Array(64).fill(7))

/** A memo of 64 bytes: the text, zero-padded. */
export const memoOf = (text: string): number[] => [
  ...Buffer.alloc(64, 0).fill(text, 0, Buffer.byteLength(text)),
]

export type Members = Record<string, unknown>

export const PAYMENT: Members = {
  payment_policy: keyOf(1),
  gateway: keyOf(2),
  amount: '1000',
  timestamp: '1769871897',
  memo: memoOf('order-1'),
  record_id: 1,
}

export const SUBSCRIPTION: Members = {
  amount: '1000',
  auto_renew: true,
  max_renewals: 24,
  payment_frequency: { Monthly: null },
  next_payment_due: '1769860800',
  padding: [0, 0, 0],
}

export const POLICY_CREATED: Members = {
  user_payment: keyOf(3),
  recipient: keyOf(4),
  gateway: keyOf(2),
  policy_id: 1,
  policy_type: { Subscription: SUBSCRIPTION },
  memo: memoOf('order-1'),
}

/** An envelope around `data`; members given as undefined are left out. */
export function envelopeOf(name: string, data: unknown, others: Members = {}): Members {
  return {
    slot: 390027742,
    signature: SIGNATURE,
    program_id: PROGRAM_ID,
    index: 0,
    event_name: `tributary_${name}`,
    data,
    timestamp: '2026-01-31T15:04:57.000Z',
    ...others,
  }
}

export const bytesOf = (message: unknown): Uint8Array =>
  Buffer.from(typeof message === 'string' ? message : writeJson(message))

/** Reads a message that must be accepted. @param message an object, or the text itself */
export async function accept(message: unknown, settings = SETTINGS): Promise<ChainEvent> {
  const result = readMessage(bytesOf(message), settings)
  if (!result.ok) throw new Error(`refused: ${result.refusal.code} ${result.refusal.reason}`)
  return result.event
}

/** Reads a message that must be refused. */
export async function refuse(message: unknown, settings = SETTINGS): Promise<Refusal> {
  const result = readMessage(bytesOf(message), settings)
  if (result.ok) throw new Error('accepted')
  return result.refusal
}
