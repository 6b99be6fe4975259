// Cursors are opaque to clients: a letter for the list's order, and the key of the last row on the page.

const encode = (order: string, parts: readonly (string | number)[]): string =>
  Buffer.from([order, ...parts].join(' ')).toString('base64url')

/** @returns the key's parts, or null for a text that is no cursor of this order */
function decode(order: string, cursor: string, patterns: readonly RegExp[]): string[] | null {
  if (!/^[A-Za-z0-9_-]{1,200}$/.test(cursor)) return null
  const [found, ...parts] = Buffer.from(cursor, 'base64url').toString('utf8').split(' ')
  if (found !== order || parts.length !== patterns.length) return null
  return patterns.every((pattern, at) => pattern.test(parts[at]!)) ? parts : null
}

/** Digits of at most 2⁵³−1, so that every number is exact. */
const NUMBER = /^\d{1,15}$|^[1-8]\d{15}$/
const SIGNED = /^-?\d{1,15}$/
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const ADDRESS = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/

/** The key of an event in a list. */
export interface EventKey {
  occurredAt: Date
  slot: number
  index: number
  id: string
}

/** The two orders of event lists: by time, and by slot when slot bounds are the only filter. */
export type EventOrder = 'time' | 'slot'
const ORDER_LETTER: Record<EventOrder, string> = { time: 't', slot: 's' }

export const encodeEventCursor = (order: EventOrder, key: EventKey): string =>
  encode(ORDER_LETTER[order], [key.occurredAt.getTime(), key.slot, key.index, key.id])

/** @returns null when the text is no cursor of this order */
export function decodeEventCursor(order: EventOrder, cursor: string): EventKey | null {
  const parts = decode(ORDER_LETTER[order], cursor, [SIGNED, NUMBER, NUMBER, UUID])
  if (parts === null) return null
  const occurredAt = new Date(Number(parts[0]))
  // Years that both Postgres and ISO 8601 can write.
  const year = occurredAt.getUTCFullYear()
  if (!(year >= 1 && year <= 9999)) return null
  return { occurredAt, slot: Number(parts[1]), index: Number(parts[2]), id: parts[3]! }
}

/** The key of a subscription in a list: Unix seconds of its creation, and its address. */
export interface SubscriptionKey {
  createdAt: number
  address: string
}

export const encodeSubscriptionCursor = (key: SubscriptionKey): string =>
  encode('p', [key.createdAt, key.address])

/** @returns null when the text is no cursor of subscriptions */
export function decodeSubscriptionCursor(cursor: string): SubscriptionKey | null {
  const parts = decode('p', cursor, [SIGNED, ADDRESS])
  return parts === null ? null : { createdAt: Number(parts[0]), address: parts[1]! }
}

/** The key of an expectation in a list. */
export interface ExpectationKey {
  createdAt: Date
  id: string
}

export const encodeExpectationCursor = ({ createdAt, id }: ExpectationKey): string =>
  encode('x', [createdAt.getTime(), id])

/** @returns null when the text is no cursor of expectations */
export function decodeExpectationCursor(cursor: string): ExpectationKey | null {
  const parts = decode('x', cursor, [NUMBER, UUID])
  return parts === null ? null : { createdAt: new Date(Number(parts[0])), id: parts[1]! }
}

/** A key in the stream of all events: a commit position of one database (its epoch). */
export interface PositionKey {
  epoch: string
  position: bigint
}

export const encodePositionCursor = (key: PositionKey): string =>
  encode('c', [key.epoch, key.position.toString()])

/** @returns null when the text is no cursor of the stream */
export function decodePositionCursor(cursor: string): PositionKey | null {
  const parts = decode('c', cursor, [UUID, /^\d{1,18}$/])
  return parts === null ? null : { epoch: parts[0]!, position: BigInt(parts[1]!) }
}

/** A key in the feed of a gateway: the position among payments, and the sequence among all other messages. */
export interface FeedKey extends PositionKey {
  sequence: bigint
}

export const encodeFeedCursor = ({ epoch, position, sequence }: FeedKey): string =>
  encode('f', [epoch, position.toString(), sequence.toString()])

/** @returns null when the text is no cursor of a feed */
export function decodeFeedCursor(cursor: string): FeedKey | null {
  const parts = decode('f', cursor, [UUID, /^\d{1,18}$/, /^\d{1,18}$/])
  return parts === null
    ? null
    : { epoch: parts[0]!, position: BigInt(parts[1]!), sequence: BigInt(parts[2]!) }
}
