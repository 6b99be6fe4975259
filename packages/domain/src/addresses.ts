// Base58 keys, and the program-derived addresses that events do not carry.
import { createHash } from 'node:crypto'
import { Point } from '@noble/ed25519'
import bs58 from 'bs58'
import { LRUCache } from 'lru-cache'

const PUBLIC_KEY_BYTES = 32
const SIGNATURE_BYTES = 64

// Both hold what is true for ever: they save time and decide nothing. The same few keys come in nearly every
// message, and one derivation takes about 0.1 ms (it tries bumps until the address is off the curve).
const knownKeys = new LRUCache<string, true>({ max: 50_000 })
const derived = new LRUCache<string, string>({ max: 50_000 })

/** A base58 text of exactly 32 bytes. */
export function isPublicKey(text: string): boolean {
  if (text.length < 32 || text.length > 44) return false
  if (knownKeys.get(text) !== undefined) return true
  if (bs58.decodeUnsafe(text)?.length !== PUBLIC_KEY_BYTES) return false
  knownKeys.set(text, true)
  return true
}

/**
 * Most signatures have as many digits as 64 bytes can have. Base58's digits ascend as their characters do, so that
 * such texts compare as the numbers they write; the least of them, a 2 and zeros, is 64 bytes too. Decoding one
 * takes 7 µs.
 */
const LARGEST_SIGNATURE = bs58.encode(new Uint8Array(SIGNATURE_BYTES).fill(255))
const WITHOUT_LEADING_ZERO = /^[2-9A-HJ-NP-Za-km-z][1-9A-HJ-NP-Za-km-z]*$/

/** A base58 text of exactly 64 bytes. */
export function isSignature(text: string): boolean {
  if (text.length < 64 || text.length > LARGEST_SIGNATURE.length) return false
  if (text.length === LARGEST_SIGNATURE.length && WITHOUT_LEADING_ZERO.test(text))
    return text <= LARGEST_SIGNATURE
  return bs58.decodeUnsafe(text)?.length === SIGNATURE_BYTES
}

/** What the chain hashes last, so that no derived address is also a hash of something else. */
const MARKER = 'ProgramDerivedAddress'

/** Whether bytes are a point of Ed25519, and so may be somebody's public key. */
function isOnCurve(bytes: Uint8Array): boolean {
  try {
    Point.fromBytes(bytes, true)
    return true
  } catch {
    return false
  }
}

/**
 * The first hash of seeds, bump and program, from bump 255 down, that nobody can have the private key of. By our own
 * hand, since half of the CPU of reading was `@solana/addresses`' hashing and curve; a test compares the two.
 */
function derive(programId: string, label: string, ...parts: (string | number)[]): string {
  const key = [programId, label, ...parts].join(' ')
  const known = derived.get(key)
  if (known !== undefined) return known
  const seeds = createHash('sha256').update(label)
  for (const part of parts) seeds.update(typeof part === 'string' ? bs58.decode(part) : littleEndian(part))
  const program = bs58.decode(programId)
  for (let bump = 255; bump > 0; bump--) {
    const hash = seeds.copy().update(Uint8Array.of(bump)).update(program).update(MARKER).digest()
    if (isOnCurve(hash)) continue
    const address = bs58.encode(hash)
    derived.set(key, address)
    return address
  }
  throw new Error(`no address for ${key}`)
}

function littleEndian(value: number): Uint8Array {
  const bytes = new Uint8Array(4)
  new DataView(bytes.buffer).setUint32(0, value, true)
  return bytes
}

/** The gateway that an authority opens. All keys are base58; a key of another length is the caller's mistake. */
export function deriveGateway(programId: string, authority: string): string {
  return derive(programId, 'gateway', authority)
}

/** The user payment account of an owner's wallet for one token. */
export function deriveUserPayment(programId: string, owner: string, tokenMint: string): string {
  return derive(programId, 'user_payment', owner, tokenMint)
}

/** A policy of a user payment. @param policyId a u32 */
export function derivePolicy(programId: string, userPayment: string, policyId: number): string {
  return derive(programId, 'payment_policy', userPayment, policyId)
}
