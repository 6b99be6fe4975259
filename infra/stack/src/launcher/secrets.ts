import { createPrivateKey, generateKeyPairSync, randomUUID, type JsonWebKey } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { KeyFileDamagedError } from '../errors.js'

/** A new JWK set with one Ed25519 key, for JWT_PRIVATE_KEYS. */
export function buildJwtKeys(): string {
  const { privateKey } = generateKeyPairSync('ed25519')
  const key = { ...privateKey.export({ format: 'jwk' }), kid: randomUUID(), alg: 'EdDSA', use: 'sig' }
  return JSON.stringify({ keys: [key] })
}

/** A new JWK set with one P-256 key, for CHECKOUT_TOKEN_KEYS. */
export function buildCheckoutKeys(): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const key = { ...privateKey.export({ format: 'jwk' }), kid: randomUUID(), alg: 'ES256', use: 'sig' }
  return JSON.stringify({ keys: [key] })
}

/**
 * Checks keys from the user before anything starts. The API checks them again, key by key.
 * @param text a JWK set, or an array of private JWKs
 * @returns what is wrong with them, without showing any of them
 */
export function findKeyProblem(text: string, curve: 'Ed25519' | 'P-256'): string | undefined {
  let parsed: { keys?: unknown } | unknown[] | null
  try {
    parsed = JSON.parse(text) as typeof parsed
  } catch {
    return 'is not JSON'
  }
  const keys = Array.isArray(parsed) ? parsed : parsed?.keys
  if (!Array.isArray(keys) || keys.length === 0) return 'holds no key'
  for (const [index, key] of keys.entries()) {
    try {
      createPrivateKey({ key: key as Record<string, unknown>, format: 'jwk' })
      if ((key as JsonWebKey).crv === curve) continue
    } catch {
      // Node's own message could show parts of the key.
    }
    return `holds no private ${curve} JWK as key ${index + 1}`
  }
  return undefined
}

/**
 * Reads the keys that sign gateway tokens from the data directory. The first start makes the keys. Later starts use the same
 * keys, so tokens stay valid after a restart.
 * @returns a JWK set
 * @throws KeyFileDamagedError
 */
export const keepJwtKeys = (dataDir: string): string =>
  keepKeys(join(dataDir, 'jwt-keys.json'), buildJwtKeys, 'gateways sign in again')

/**
 * Reads the keys that sign proof-of-payment tokens from the data directory. The first start makes the keys.
 * @returns a JWK set
 * @throws KeyFileDamagedError
 */
export const keepCheckoutKeys = (dataDir: string): string =>
  keepKeys(join(dataDir, 'checkout-keys.json'), buildCheckoutKeys, 'proofs of payment are issued again')

function keepKeys(file: string, build: () => string, afterwards: string): string {
  if (!existsSync(file)) writeFileSync(file, build(), { mode: 0o600 })
  const text = readFileSync(file, 'utf8')
  try {
    const { keys } = JSON.parse(text) as { keys: JsonWebKey[] }
    if (keys.length === 0) throw new Error('it holds no key')
    for (const key of keys) createPrivateKey({ key: key as Record<string, unknown>, format: 'jwk' })
    return text
  } catch (cause) {
    throw new KeyFileDamagedError(
      `${file} is damaged: restore it from a backup, or delete it. After that a new key is made, and ${afterwards}.`,
      { cause },
    )
  }
}
