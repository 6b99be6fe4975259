import { randomUUID } from 'node:crypto'
import { jwtVerify, SignJWT } from 'jose'
import { findVerifyingKey, type SigningKeys } from './signing-keys.js'

export const TOKEN_LIFETIME_S = 900
const ALGORITHM = 'EdDSA'

/** The claims of a token. */
export interface GatewayClaims {
  gateway: string
  /** the wallet that signed in */
  signer: string
  /** `signerSince` of the wallet when it signed in */
  since: string
}

export interface GatewayTokens {
  issue(claims: GatewayClaims): Promise<string>
  /** @returns null for every token that has another issuer, belongs to another environment, or has expired */
  read(token: string): Promise<(GatewayClaims & { expiresAt: Date }) | null>
}

/**
 * Tokens of one environment. Issuer and audience carry the environment's name, so that production refuses a devnet
 * token even if both environments use the same keys. The algorithm is fixed; a token cannot choose another algorithm.
 */
export function buildGatewayTokens(keys: SigningKeys, environment: string): GatewayTokens {
  const issuer = `payment-tracking/${environment}`
  const audience = `payment-tracking-api/${environment}`
  return {
    issue: ({ gateway, signer, since }) =>
      new SignJWT({ gateway, since })
        .setProtectedHeader({ alg: ALGORITHM, typ: 'JWT', kid: keys.current.kid })
        .setIssuer(issuer)
        .setAudience(audience)
        .setSubject(signer)
        .setJti(randomUUID())
        .setIssuedAt()
        .setExpirationTime(`${TOKEN_LIFETIME_S}s`)
        .sign(keys.current.key),
    read: async token => {
      try {
        const { payload } = await jwtVerify(token, findVerifyingKey(keys), {
          issuer,
          audience,
          algorithms: [ALGORITHM],
          requiredClaims: ['exp', 'sub', 'gateway', 'since'],
        })
        const { gateway, sub: signer, since, exp } = payload
        if (typeof gateway !== 'string' || typeof signer !== 'string' || typeof since !== 'string')
          return null
        return { gateway, signer, since, expiresAt: new Date(exp! * 1_000) }
      } catch {
        return null
      }
    },
  }
}
