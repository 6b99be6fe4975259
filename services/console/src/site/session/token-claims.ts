export interface TokenClaims {
  /** the gateway that the token speaks for */
  gateway: string | null
  /** in Unix milliseconds */
  expiresAt: number | null
}

/** What a token says of itself; nulls for an API key, which says nothing. The service verifies it, not this page. */
export function readClaims(token: string): TokenClaims {
  try {
    const [, claims = ''] = token.split('.')
    const text = atob(claims.replaceAll('-', '+').replaceAll('_', '/'))
    const { exp, gateway } = JSON.parse(text) as { exp?: unknown; gateway?: unknown }
    return {
      gateway: typeof gateway === 'string' ? gateway : null,
      expiresAt: typeof exp === 'number' ? exp * 1_000 : null,
    }
  } catch {
    return { gateway: null, expiresAt: null }
  }
}
