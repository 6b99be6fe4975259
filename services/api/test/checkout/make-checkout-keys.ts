import { generateKeyPairSync, randomUUID } from 'node:crypto'

/** A private P-256 JWK, as CHECKOUT_TOKEN_KEYS holds them. */
export const makeCheckoutKey = () => ({
  ...generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' }),
  kid: randomUUID(),
})
