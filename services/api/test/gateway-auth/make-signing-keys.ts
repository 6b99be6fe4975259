import { generateKeyPairSync, randomUUID } from 'node:crypto'

/** A private Ed25519 JWK, as JWT_PRIVATE_KEYS holds them. */
export const makeSigningKey = () => ({
  ...generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' }),
  kid: randomUUID(),
})

/** A value of JWT_PRIVATE_KEYS with one key of its own. */
export const makeSigningKeys = (): string => JSON.stringify({ keys: [makeSigningKey()] })
