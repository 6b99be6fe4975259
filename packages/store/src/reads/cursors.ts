// Cursors are opaque to clients: a letter for the list's order, and the key of the last row on the page.

/** A value of a key as text. */
interface Part<Value> {
  pattern: RegExp
  /** @returns undefined for a text that is no such value */
  read: (text: string) => Value | undefined
  write: (value: Value) => string
}

const part = <Value>(
  pattern: RegExp,
  read: Part<Value>['read'],
  write: Part<Value>['write'] = String,
): Part<Value> => ({ pattern, read, write })

/** Digits of at most 2⁵³−1, so that every number is exact. */
const NUMBER = part(/^\d{1,15}$|^[1-8]\d{15}$/, Number)
const SIGNED = /^-?\d{1,15}$/
const SECONDS = part<number | bigint>(SIGNED, BigInt)
const POSITION = part(/^\d{1,18}$/, BigInt)
const UUID = part(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, String)
const ADDRESS = part(/^[1-9A-HJ-NP-Za-km-z]{32,44}$/, String)
const TIME = part<Date>(
  SIGNED,
  text => {
    const time = new Date(Number(text))
    // Years that both Postgres and ISO 8601 can write.
    const year = time.getUTCFullYear()
    return year >= 1 && year <= 9999 ? time : undefined
  },
  time => String(time.getTime()),
)

interface CursorOf<Key> {
  write(key: Key): string
  /** @returns null for a text that is no cursor of this order */
  read(cursor: string): Key | null
}
type KeyOf<Cursor> = Cursor extends CursorOf<infer Key> ? Key : never

function cursorOf<Key>(order: string, parts: { [Name in keyof Key]: Part<Key[Name]> }): CursorOf<Key> {
  const names = Object.keys(parts) as (keyof Key)[]
  return {
    write: key =>
      Buffer.from([order, ...names.map(name => parts[name].write(key[name]))].join(' ')).toString(
        'base64url',
      ),
    read(cursor) {
      if (!/^[A-Za-z0-9_-]{1,200}$/.test(cursor)) return null
      const [found, ...texts] = Buffer.from(cursor, 'base64url').toString('utf8').split(' ')
      if (found !== order || texts.length !== names.length) return null
      const values = names.map((name, at) =>
        parts[name].pattern.test(texts[at]!) ? parts[name].read(texts[at]!) : undefined,
      )
      return values.includes(undefined)
        ? null
        : (Object.fromEntries(names.map((name, at) => [name, values[at]])) as Key)
    },
  }
}

const EVENT = { occurredAt: TIME, slot: NUMBER, index: NUMBER, id: UUID }
/** The key of an event, in the two orders of event lists: by time, and by slot when slot bounds are the only filter. */
export const EVENT_CURSORS = { time: cursorOf('t', EVENT), slot: cursorOf('s', EVENT) }
export type EventOrder = keyof typeof EVENT_CURSORS
export type EventKey = KeyOf<typeof EVENT_CURSORS.time>

/** The key of a policy: Unix seconds of its creation, and its address. */
export const POLICY_CURSOR = cursorOf('p', { createdAt: SECONDS, address: ADDRESS })
export type PolicyKey = KeyOf<typeof POLICY_CURSOR>

/** The key of an expectation. */
export const EXPECTATION_CURSOR = cursorOf('x', { createdAt: TIME, id: UUID })

/** A key in the stream of all events: a commit position of one database (its epoch). */
export const POSITION_CURSOR = cursorOf('c', { epoch: UUID, position: POSITION })
export type PositionKey = KeyOf<typeof POSITION_CURSOR>

/** A key in the feed of a gateway: the position among payments, and the sequence among all other messages. */
export const FEED_CURSOR = cursorOf('f', { epoch: UUID, position: POSITION, sequence: POSITION })
export type FeedKey = KeyOf<typeof FEED_CURSOR>
