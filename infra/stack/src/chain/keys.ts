// Keys and signatures for made-up events. All are derived from a seed: the same seed makes the same chain.
import { createHash, createPrivateKey, type KeyObject } from 'node:crypto'
import bs58 from 'bs58'

export interface KeyPair {
  /** base58, as in events. */
  publicKey: string
  /** Signs the texts that a gateway's authority must sign. */
  privateKey: KeyObject
}

/** DER of a PKCS #8 ed25519 key up to its 32 bytes (RFC 8410). */
export const ED25519_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex')

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()

export function buildKeyPair(seed: string): KeyPair {
  const der = Buffer.concat([ED25519_PREFIX, digest(seed)])
  const privateKey = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
  const { x } = privateKey.export({ format: 'jwk' })
  return { publicKey: bs58.encode(Buffer.from(x!, 'base64url')), privateKey }
}

/** 32 bytes without a private key: mints, token accounts. */
export const buildAddress = (seed: string): string => bs58.encode(digest(seed))

/** 64 bytes, the length of a transaction's signature. */
export const buildSignature = (seed: string): string =>
  bs58.encode(Buffer.concat([digest(`${seed}/1`), digest(`${seed}/2`)]))

/** Text in an array of exactly `length` numbers, padded with zeros. @throws when it does not fit */
export function toFixedBytes(text: string, length: number): number[] {
  const bytes = [...Buffer.from(text, 'utf8')]
  if (bytes.length > length) throw new RangeError(`"${text}" has more than ${length} bytes`)
  return [...bytes, ...Array<number>(length - bytes.length).fill(0)]
}
