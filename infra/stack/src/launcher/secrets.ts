import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** A new JWK set with one Ed25519 key, as JWT_PRIVATE_KEYS takes it. */
export function buildJwtKeys(): string {
  const { privateKey } = generateKeyPairSync('ed25519')
  const key = { ...privateKey.export({ format: 'jwk' }), kid: randomUUID(), alg: 'EdDSA', use: 'sig' }
  return JSON.stringify({ keys: [key] })
}

/**
 * The keys that sign gateway tokens, as a JWK set: made once for a data directory, then kept, so that tokens
 * outlive a restart.
 */
export function keepJwtKeys(dataDir: string): string {
  const file = join(dataDir, 'jwt-keys.json')
  if (!existsSync(file)) writeFileSync(file, buildJwtKeys(), { mode: 0o600 })
  return readFileSync(file, 'utf8')
}
