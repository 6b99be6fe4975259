// The keys that sign gateways' tokens, from JWT_PRIVATE_KEYS.
import { calculateJwkThumbprint, importJWK, type CryptoKey, type JWK } from 'jose'
import { ConfigError } from '@payment-tracking/runtime'
import { deriveNonceKey } from './sign-in-nonce.js'

export interface SigningKeys {
  /** signs new tokens */
  current: { kid: string; key: CryptoKey }
  /** the public half of every key, by kid; all keys verify */
  verifying: ReadonlyMap<string, CryptoKey>
  /** the content of /.well-known/jwks.json */
  published: { keys: JWK[] }
  /** keys for sign-in nonces, derived from the private halves, in the same order */
  nonceKeys: [Buffer, ...Buffer[]]
}

/** For `jwtVerify`: the key that a token's header names. @throws Error when no key has that kid */
export const findVerifyingKey =
  ({ verifying }: Pick<SigningKeys, 'verifying'>) =>
  ({ kid }: { kid?: string }): CryptoKey => {
    const key = kid === undefined ? undefined : verifying.get(kid)
    if (!key) throw new Error('unknown key')
    return key
  }

const HOW =
  'a JWK set {"keys": […]} or an array of private Ed25519 JWKs; the first signs, all verify. To rotate, append ' +
  'the new key, move it to the front when every process has it, and remove the old one 15 minutes later'

function readJwks(text: string): JWK[] {
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch {
    throw new ConfigError([`JWT_PRIVATE_KEYS is not JSON (${HOW})`])
  }
  const keys = Array.isArray(parsed) ? (parsed as unknown[]) : (parsed as { keys?: unknown } | null)?.keys
  if (!Array.isArray(keys) || keys.length === 0)
    throw new ConfigError([`JWT_PRIVATE_KEYS holds no key (${HOW})`])
  return keys as JWK[]
}

/**
 * @param text a JWK set or an array of private Ed25519 JWKs; a missing `kid` becomes the key's thumbprint
 * @throws ConfigError that names the fault and shows nothing of the keys
 */
export async function readSigningKeys(text: string): Promise<SigningKeys> {
  const verifying = new Map<string, CryptoKey>()
  const published: JWK[] = []
  const nonceKeys: Buffer[] = []
  let current: SigningKeys['current'] | undefined
  for (const [index, jwk] of readJwks(text).entries()) {
    const { kty, crv, x, d } = jwk ?? {}
    if (kty !== 'OKP' || crv !== 'Ed25519' || typeof x !== 'string' || typeof d !== 'string')
      throw new ConfigError([`JWT_PRIVATE_KEYS: key ${index + 1} is no private Ed25519 JWK (${HOW})`])
    const kid = typeof jwk.kid === 'string' ? jwk.kid : await calculateJwkThumbprint({ kty, crv, x })
    if (verifying.has(kid))
      throw new ConfigError([`JWT_PRIVATE_KEYS: two keys have the kid of key ${index + 1}`])
    try {
      verifying.set(kid, (await importJWK({ kty, crv, x }, 'EdDSA')) as CryptoKey)
      current ??= { kid, key: (await importJWK({ kty, crv, x, d }, 'EdDSA')) as CryptoKey }
    } catch {
      throw new ConfigError([`JWT_PRIVATE_KEYS: key ${index + 1} cannot be read (${HOW})`])
    }
    nonceKeys.push(deriveNonceKey(Buffer.from(d, 'base64url')))
    published.push({ kty, crv, x, kid, alg: 'EdDSA', use: 'sig' })
  }
  const [first, ...others] = nonceKeys
  return { current: current!, verifying, published: { keys: published }, nonceKeys: [first!, ...others] }
}
