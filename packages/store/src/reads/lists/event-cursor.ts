import { decodeCursor, encodeCursor, NUMBER, SIGNED, UUID } from '../cursor.js'

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
  encodeCursor(ORDER_LETTER[order], [key.occurredAt.getTime(), key.slot, key.index, key.id])

/** @returns null when the text is no cursor of this order */
export function decodeEventCursor(order: EventOrder, cursor: string): EventKey | null {
  const parts = decodeCursor(ORDER_LETTER[order], cursor, [SIGNED, NUMBER, NUMBER, UUID])
  if (parts === null) return null
  const occurredAt = new Date(Number(parts[0]))
  // Years that both Postgres and ISO 8601 can write.
  const year = occurredAt.getUTCFullYear()
  if (!(year >= 1 && year <= 9999)) return null
  return { occurredAt, slot: Number(parts[1]), index: Number(parts[2]), id: parts[3]! }
}
