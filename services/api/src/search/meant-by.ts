// Reads what people paste into a search box: an address that a page has shortened, or a sentence with addresses in it.
import { isPublicKey, isSignature } from '@payment-tracking/domain'

const LETTERS = '1-9A-HJ-NP-Za-km-z'
const SHORTENED = new RegExp(`^\\s*([${LETTERS}]{4})(?:…|\\.{3})([${LETTERS}]{4})\\s*$`)
const KEYS = new RegExp(`[${LETTERS}]{32,}`, 'g')
/** Of one sentence; a text of a search has at most 200 characters. */
const MOST_INSIDE = 3

/** `B1zp…tKmC`, as every page shows an address. @returns null for another text */
export function shortenedOf(text: string): { first: string; last: string } | null {
  const [, first, last] = SHORTENED.exec(text) ?? []
  return first === undefined || last === undefined ? null : { first, last }
}

/** The addresses and signatures inside a longer text. */
export const keysInside = (text: string): string[] =>
  [...new Set(text.match(KEYS))]
    .filter(word => word !== text && (isPublicKey(word) || isSignature(word)))
    .slice(0, MOST_INSIDE)
