// The formats of parameters beyond JSON Schema's own: the accepted values, and the sentence of a refusal.
import { EVENT_NAME, EVENT_NAME_PREFIX } from '@payment-tracking/contracts'
import { isPublicKey, isSignature, isTrackingId, MAX_TRACKING_ID_BYTES } from '@payment-tracking/domain'

export interface ParameterFormat {
  /** follows the parameter's name in a refusal */
  problem: string
  accepts(text: string): boolean
}

/** The key of a list, followed by the list's filters if the list has filters (list-cursor.ts). */
const CURSOR = /^[A-Za-z0-9_-]{1,200}(\.[A-Za-z0-9_-]{1,2000})?$/

const LONGEST_SEARCH = 200
const LONGEST_NAME = 64

export const FORMATS: Readonly<Record<string, ParameterFormat>> = {
  'public-key': {
    problem: 'must be a public key: base58 of 32 bytes',
    accepts: isPublicKey,
  },
  signature: {
    problem: 'must be a transaction signature: base58 of 64 bytes',
    accepts: isSignature,
  },
  'tracking-id': {
    problem: `must be 1 to ${MAX_TRACKING_ID_BYTES} bytes of UTF-8 without NUL`,
    accepts: isTrackingId,
  },
  'event-name': {
    problem: 'must be an event name: 1 to 64 letters, digits and underscores',
    accepts: text => EVENT_NAME.test(withoutProgramPrefix(text)),
  },
  amount: {
    problem: "must be a whole number from 0 to 2^64-1, in the token's smallest unit",
    accepts: text => /^(?:0|[1-9]\d{0,19})$/.test(text) && BigInt(text) < 2n ** 64n,
  },
  'expected-amount': {
    problem: "must be a whole number from 1 to 2^64-1, in the token's smallest unit",
    accepts: text => /^[1-9]\d{0,19}$/.test(text) && BigInt(text) < 2n ** 64n,
  },
  reference: {
    problem: `must be at most ${MAX_TRACKING_ID_BYTES} bytes of UTF-8 without NUL`,
    accepts: text => text === '' || isTrackingId(text),
  },
  'customer-name': {
    problem: `must be 1 to ${LONGEST_NAME} characters without NUL, and not blank`,
    accepts: text => text.trim() !== '' && Array.from(text).length <= LONGEST_NAME && !text.includes('\0'),
  },
  'search-text': {
    problem: `must be 1 to ${LONGEST_SEARCH} characters without NUL`,
    accepts: text => text !== '' && text.length <= LONGEST_SEARCH && !text.includes('\0'),
  },
  uuid: {
    problem: 'must be an id: a UUID',
    accepts: text => /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text),
  },
  cursor: {
    problem: 'is no cursor of this list',
    accepts: text => CURSOR.test(text),
  },
  'date-time': {
    problem: 'must be an ISO 8601 date or date-time, such as 2026-01-31T12:00:00Z',
    accepts: text => parseTime(text, 'down') !== null,
  },
}

/** `tributary_PaymentRecord` is stored as `PaymentRecord`. */
export const withoutProgramPrefix = (name: string): string => name.replace(EVENT_NAME_PREFIX, '')

const TIME =
  /^(\d{4})-(\d{2})-(\d{2})(?:T(\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?(Z|[+\- ]\d{2}(?::?\d{2})?)?)?$/

/**
 * Reads an ISO 8601 date or date-time; without an offset the time is UTC. A space before the offset is accepted for the
 * `+` of a query that was not percent-encoded.
 * @param round the direction in which digits beyond milliseconds are rounded
 * @param dateIs the moment that a date without a time means: the first of the day, or the last for an inclusive end
 * @returns null when the text has another form or names no moment
 */
export function parseTime(
  text: string,
  round: 'up' | 'down',
  dateIs: 'first' | 'last' = 'first',
): Date | null {
  const parts = TIME.exec(text)
  if (parts === null) return null
  const [year, month, day, hour, minute, second] = parts.slice(1, 7).map(part => Number(part ?? 0))
  const fraction = (parts[7] ?? '').padEnd(9, '0')
  if (hour! > 23 || minute! > 59 || second! > 59) return null
  const date = new Date(0)
  date.setUTCFullYear(year!, month! - 1, day)
  if (date.getUTCMonth() !== month! - 1 || date.getUTCDate() !== day) return null
  const offset = offsetMs(parts[8])
  if (offset === null) return null
  if (parts[4] === undefined && dateIs === 'last') date.setUTCHours(23, 59, 59, 999)
  else date.setUTCHours(hour!, minute, second, Number(fraction.slice(0, 3)))
  const moment = new Date(date.getTime() - offset)
  const servedYear = moment.getUTCFullYear()
  // Postgres has no year 0.
  if (servedYear < 1 || servedYear > 9999) return null
  const isFiner = /[1-9]/.test(fraction.slice(3))
  return round === 'up' && isFiner ? new Date(moment.getTime() + 1) : moment
}

function offsetMs(text: string | undefined): number | null {
  if (text === undefined || text === 'Z') return 0
  const hours = Number(text.slice(1, 3))
  const minutes = Number(text.slice(3).replace(':', '') || 0)
  if (hours > 23 || minutes > 59) return null
  return (text.startsWith('-') ? -1 : 1) * (hours * 60 + minutes) * 60_000
}
