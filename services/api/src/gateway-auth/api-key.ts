// The text of an API key. A key has 256 random bits, so a plain hash is enough to store it.
import { createHash, randomBytes } from 'node:crypto'

/** Lets scanners of leaked secrets recognise a key. */
const PREFIX = 'ptk_'
const SECRET_BYTES = 32
const HINT_LENGTH = PREFIX.length + 6
const KEY = /^ptk_[\w-]{43}$/

export const isApiKey = (text: string): boolean => KEY.test(text)

export const hashApiKey = (key: string): string => createHash('sha256').update(key).digest('hex')

/** @returns the key, which only its owner gets, and what the service keeps */
export function makeApiKey(): { key: string; hash: string; hint: string } {
  const key = PREFIX + randomBytes(SECRET_BYTES).toString('base64url')
  return { key, hash: hashApiKey(key), hint: key.slice(0, HINT_LENGTH) }
}
