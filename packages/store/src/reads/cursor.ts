// Cursors are opaque to clients: a letter for the list's order, and the key of the last row on the page.

export const encodeCursor = (order: string, parts: readonly (string | number)[]): string =>
  Buffer.from([order, ...parts].join(' ')).toString('base64url')

/** @returns the key's parts, or null for a text that is no cursor of this order */
export function decodeCursor(order: string, cursor: string, patterns: readonly RegExp[]): string[] | null {
  if (!/^[A-Za-z0-9_-]{1,200}$/.test(cursor)) return null
  const [found, ...parts] = Buffer.from(cursor, 'base64url').toString('utf8').split(' ')
  if (found !== order || parts.length !== patterns.length) return null
  return patterns.every((pattern, at) => pattern.test(parts[at]!)) ? parts : null
}

/** Digits of at most 2⁵³−1, so that every number is exact. */
export const NUMBER = /^\d{1,15}$|^[1-8]\d{15}$/
export const SIGNED = /^-?\d{1,15}$/
export const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
export const ADDRESS = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/
