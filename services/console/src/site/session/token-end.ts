/** When a token ends, in Unix milliseconds, by its own claim; null for an API key, which says nothing of itself. */
export function tokenEnd(token: string): number | null {
  try {
    const [, claims = ''] = token.split('.')
    const text = atob(claims.replaceAll('-', '+').replaceAll('_', '/'))
    const { exp } = JSON.parse(text) as { exp?: unknown }
    return typeof exp === 'number' ? exp * 1_000 : null
  } catch {
    return null
  }
}
