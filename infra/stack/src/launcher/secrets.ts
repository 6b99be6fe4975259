import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * The keys that sign gateway tokens, as a JWK set: made once for a data directory, then kept, so that tokens
 * outlive a restart.
 */
export function keepJwtKeys(dataDir: string): string {
  const file = join(dataDir, 'jwt-keys.json')
  if (!existsSync(file)) {
    const { privateKey } = generateKeyPairSync('ed25519')
    const key = { ...privateKey.export({ format: 'jwk' }), kid: randomUUID(), alg: 'EdDSA', use: 'sig' }
    writeFileSync(file, JSON.stringify({ keys: [key] }), { mode: 0o600 })
  }
  return readFileSync(file, 'utf8')
}
