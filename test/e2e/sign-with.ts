import { createPrivateKey, sign, type KeyObject } from 'node:crypto'
import bs58 from 'bs58'

/** DER of a PKCS #8 ed25519 key up to its 32 bytes (RFC 8410). */
const PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex')

/** @param secret a Solana wallet's: base58 of the ed25519 seed and its public key */
export function keyOfWallet(secret: string): KeyObject {
  const der = Buffer.concat([PREFIX, bs58.decode(secret).slice(0, 32)])
  return createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
}

/** @returns the signature in base58 */
export const signWith = (secret: string, text: string): string =>
  bs58.encode(sign(null, Buffer.from(text, 'utf8'), keyOfWallet(secret)))
