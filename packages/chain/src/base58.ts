// Base58 where bs58 is too slow. bs58 handles one byte at a time. This code writes public keys four digits at a time, and
// reads long instruction data (callers of the program may pass 4,000 bytes) nine digits at a time.
import bs58 from 'bs58'

const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
/** The digit of each character code, or -1. */
const DIGITS = Int8Array.from({ length: 128 }, (_, code) => ALPHABET.indexOf(String.fromCharCode(code)))
/** 58 to this power is the largest below 2 to the power of 53. */
const AT_ONCE = 9
const BASE_AT_ONCE = 58n ** BigInt(AT_ONCE)
/** Below this length bs58 is faster. */
const SHORT = 60

/** @throws Error when the text holds a character that is no digit */
export function decodeBase58(text: string): Uint8Array {
  if (text.length < SHORT) return bs58.decode(text)
  let zeros = 0
  while (text[zeros] === '1') zeros++
  let value = 0n
  for (let at = zeros; at < text.length; at += AT_ONCE) {
    const end = Math.min(at + AT_ONCE, text.length)
    let part = 0
    for (let index = at; index < end; index++) {
      const digit = DIGITS[text.charCodeAt(index)] ?? -1
      if (digit < 0) throw new Error(`not base58: character ${index}`)
      part = part * 58 + digit
    }
    const base = end - at === AT_ONCE ? BASE_AT_ONCE : 58n ** BigInt(end - at)
    value = value * base + BigInt(part)
  }
  const hex = value === 0n ? '' : value.toString(16)
  return Buffer.from('00'.repeat(zeros) + (hex.length % 2 ? '0' : '') + hex, 'hex')
}

/** Every pair of digits, by its value. */
const PAIRS = Array.from(ALPHABET, first => Array.from(ALPHABET, second => first + second)).flat()
const PAIR = 58 ** 2
/** The values of four digits. LIMB * WORD is a safe integer. */
const LIMB = 58 ** 4
const WORD = 2 ** 24

/** Writes bytes in time quadratic to their number: meant for keys of 32 bytes. */
export function encodeBase58(bytes: Uint8Array): string {
  // Least significant first.
  const limbs: number[] = []
  for (let at = bytes.length % 3 === 0 ? 0 : (bytes.length % 3) - 3; at < bytes.length; at += 3) {
    let carry = ((bytes[at] ?? 0) << 16) | ((bytes[at + 1] ?? 0) << 8) | bytes[at + 2]!
    for (let index = 0; index < limbs.length; index++) {
      const value = limbs[index]! * WORD + carry
      carry = Math.floor(value / LIMB)
      limbs[index] = value - carry * LIMB
    }
    for (; carry > 0; carry = Math.floor(carry / LIMB)) limbs.push(carry % LIMB)
  }
  let text = ''
  for (const limb of limbs) {
    const high = Math.floor(limb / PAIR)
    text = PAIRS[high]! + PAIRS[limb - high * PAIR]! + text
  }
  let start = 0
  while (text[start] === '1') start++
  let zeros = 0
  while (bytes[zeros] === 0) zeros++
  return '1'.repeat(zeros) + text.slice(start)
}
