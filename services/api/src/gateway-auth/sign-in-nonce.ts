import { randomBytes } from 'node:crypto'

export const NONCE_LIFETIME_MS = 60_000

/**
 * The text that a gateway's wallet signs. People see it in their wallet, so it says what they sign: for whom,
 * as which gateway, until when.
 */
export function makeSignInNonce(environment: string, gateway: string, expiresAt: Date): string {
  const random = randomBytes(18).toString('base64url')
  return `Sign in to payment-tracking-api (${environment}) as gateway ${gateway}, until ${expiresAt.toISOString()}, nonce ${random}`
}
