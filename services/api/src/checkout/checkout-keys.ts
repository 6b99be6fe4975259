// The keys that sign proof-of-payment tokens, from CHECKOUT_TOKEN_KEYS.
import { calculateJwkThumbprint, importJWK, type CryptoKey, type JWK } from 'jose'
import { ConfigError } from '@payment-tracking/runtime'

/** The algorithm that the published verifier accepts. */
export const CHECKOUT_ALGORITHM = 'ES256'

export interface CheckoutKeys {
  /** signs new tokens */
  current: { kid: string; key: CryptoKey }
  /** the public half of every key, by kid */
  verifying: ReadonlyMap<string, CryptoKey>
  /** public JWKs for /.well-known/jwks.json */
  published: JWK[]
}

const HOW =
  'a JWK set {"keys": […]} or an array of private P-256 JWKs; the first signs, all are published. To rotate, append the ' +
  'new key, move it to the front after 20 minutes, and remove the old one a day later'

const refuse = (problem: string) => new ConfigError([`CHECKOUT_TOKEN_KEYS${problem} (${HOW})`])

function readJwks(text: string): JWK[] {
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch {
    throw refuse(' is not JSON')
  }
  const keys = Array.isArray(parsed) ? (parsed as unknown[]) : (parsed as { keys?: unknown } | null)?.keys
  if (!Array.isArray(keys) || keys.length === 0) throw refuse(' holds no key')
  return keys as JWK[]
}

/**
 * @param text a JWK set or an array of private P-256 JWKs; a missing `kid` becomes the key's thumbprint
 * @param taken kids of other keys in the same published set
 * @throws ConfigError that names the fault and shows nothing of the keys
 */
export async function readCheckoutKeys(text: string, taken: ReadonlySet<string>): Promise<CheckoutKeys> {
  const verifying = new Map<string, CryptoKey>()
  const published: JWK[] = []
  let current: CheckoutKeys['current'] | undefined
  for (const [index, jwk] of readJwks(text).entries()) {
    const { kty, crv, x, y, d } = jwk ?? {}
    const isPrivate = [x, y, d].every(part => typeof part === 'string' && part !== '')
    if (kty !== 'EC' || crv !== 'P-256' || !isPrivate)
      throw refuse(`: key ${index + 1} is no private P-256 JWK`)
    const shape = { kty, crv, x: x!, y: y! }
    const kid = typeof jwk.kid === 'string' ? jwk.kid : await calculateJwkThumbprint(shape)
    if (verifying.has(kid) || taken.has(kid)) throw refuse(`: another key has the kid of key ${index + 1}`)
    try {
      verifying.set(kid, (await importJWK(shape, CHECKOUT_ALGORITHM)) as CryptoKey)
      const key = (await importJWK({ ...shape, d: d! }, CHECKOUT_ALGORITHM)) as CryptoKey
      current ??= { kid, key }
    } catch {
      throw refuse(`: key ${index + 1} cannot be read`)
    }
    published.push({ ...shape, kid, alg: CHECKOUT_ALGORITHM, use: 'sig' })
  }
  return { current: current!, verifying, published }
}
