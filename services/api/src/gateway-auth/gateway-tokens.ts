import { randomUUID } from 'node:crypto'
import { jwtVerify, SignJWT } from 'jose'
import type { SigningKeys } from './signing-keys.js'

export const TOKEN_LIFETIME_S = 900
const ALGORITHM = 'EdDSA'

/** What a token says. */
export interface GatewayClaims {
  gateway: string
  /** who signed in */
  signer: string
}

export interface GatewayTokens {
  issue(claims: GatewayClaims): Promise<string>
  /** @returns null for every token that is not ours, not of this environment, or over */
  read(token: string): Promise<GatewayClaims | null>
}

/**
 * Tokens of one environment: issuer and audience carry its name, so that a token of devnet is nothing in
 * production even if somebody gave both the same keys. The algorithm is fixed; a token cannot choose one.
 */
export function buildGatewayTokens(keys: SigningKeys, environment: string): GatewayTokens {
  const issuer = `payment-tracking/${environment}`
  const audience = `payment-tracking-api/${environment}`
  return {
    issue: ({ gateway, signer }) =>
      new SignJWT({ gateway })
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
        const { payload } = await jwtVerify(
          token,
          ({ kid }) => {
            const key = kid === undefined ? undefined : keys.verifying.get(kid)
            if (!key) throw new Error('unknown key')
            return key
          },
          { issuer, audience, algorithms: [ALGORITHM], requiredClaims: ['exp', 'sub', 'gateway'] },
        )
        if (typeof payload.gateway !== 'string' || typeof payload.sub !== 'string') return null
        return { gateway: payload.gateway, signer: payload.sub }
      } catch {
        return null
      }
    },
  }
}
