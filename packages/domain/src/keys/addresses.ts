// Base58 keys, and the program-derived addresses that events do not carry.
import { createHash } from 'node:crypto'
import bs58 from 'bs58'
import { LRUCache } from 'lru-cache'
import { isCurvePoint } from './curve-point.js'

// A cache of derived addresses, which never change. One derivation takes about 40 µs, because it tries bumps until the
// address is off the curve.
const derived = new LRUCache<string, string>({ max: 50_000 })

const WITHOUT_LEADING_ZERO = /^[2-9A-HJ-NP-Za-km-z][1-9A-HJ-NP-Za-km-z]*$/

/**
 * Recognises base58 texts of a number of bytes without decoding them, which would take 2 to 7 µs. The digits of base58
 * ascend in the order of their characters, so texts of the same length compare like numbers: a text without a leading
 * zero must lie between the smallest and the largest number of that many bytes. Only texts with a leading zero, which are
 * rare, are decoded.
 */
function textOfBytes(bytes: number): (text: string) => boolean {
  const least = bs58.encode(Uint8Array.of(1, ...new Uint8Array(bytes - 1)))
  const greatest = bs58.encode(new Uint8Array(bytes).fill(255))
  return text => {
    if (text.length < bytes || text.length > greatest.length) return false
    if (!WITHOUT_LEADING_ZERO.test(text)) return bs58.decodeUnsafe(text)?.length === bytes
    if (text.length === greatest.length) return text <= greatest
    return text.length === least.length && text >= least
  }
}

/** A base58 text of exactly 32 bytes. */
export const isPublicKey = textOfBytes(32)

/** A base58 text of exactly 64 bytes. */
export const isSignature = textOfBytes(64)

/** The suffix that the chain hashes with, so that a derived address equals no other hash. */
const MARKER = 'ProgramDerivedAddress'

/**
 * The first hash of seeds, bump and program, from bump 255 down, that is not a point of the curve and so has no private
 * key. Written here because `@solana/addresses` took half of the CPU of reading; a test compares the two.
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
    if (isCurvePoint(hash)) continue
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

/** The gateway that an authority opens. All keys are base58 of 32 bytes; the caller checks that. */
export function deriveGateway(programId: string, authority: string): string {
  return derive(programId, 'gateway', authority)
}

/** The user payment account of an owner's wallet for one token. */
export function deriveUserPayment(programId: string, owner: string, tokenMint: string): string {
  return derive(programId, 'user_payment', owner, tokenMint)
}

/** The address by which the program pays: the delegate of the payers' token accounts. */
export const derivePaymentsDelegate = (programId: string): string => derive(programId, 'payments')

/** Source: the SPL Associated Token Account program. */
const ASSOCIATED_TOKEN_PROGRAM = 'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL'

/** The usual token account of a wallet. @param tokenProgram that owns the mint */
export const deriveTokenAccount = (owner: string, tokenProgram: string, tokenMint: string): string =>
  derive(ASSOCIATED_TOKEN_PROGRAM, '', owner, tokenProgram, tokenMint)

/** A policy of a user payment. @param policyId a u32 */
export function derivePolicy(programId: string, userPayment: string, policyId: number): string {
  return derive(programId, 'payment_policy', userPayment, policyId)
}
