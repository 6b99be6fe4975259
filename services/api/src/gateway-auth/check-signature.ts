import { verifyAsync } from '@noble/ed25519'
import bs58 from 'bs58'

const decode = (text: string, length: number): Uint8Array | null => {
  // Decoding base58 takes time quadratic in the length: no key or signature is longer than this.
  if (text.length > 2 * length) return null
  try {
    const bytes = bs58.decode(text)
    return bytes.length === length ? bytes : null
  } catch {
    return null
  }
}

/** Reads a signature: base58, or an array of 64 bytes. @returns null for every other form */
export function readSignature(sent: string | readonly number[]): Uint8Array | null {
  if (typeof sent === 'string') return decode(sent, 64)
  return sent.length === 64 && sent.every(byte => Number.isInteger(byte) && byte >= 0 && byte <= 255)
    ? Uint8Array.from(sent)
    : null
}

/** Ed25519 by RFC 8032, strictly: refuses malleable signatures and other encodings of a key. */
export async function isSignedBy(signer: string, signature: Uint8Array, text: string): Promise<boolean> {
  const key = decode(signer, 32)
  if (!key) return false
  return verifyAsync(signature, new TextEncoder().encode(text), key, { zip215: false }).catch(() => false)
}
