import { ADDRESS, decodeCursor, encodeCursor, SIGNED } from '../cursor.js'

/** The key of a subscription in a list: Unix seconds of its creation, and its address. */
export interface SubscriptionKey {
  createdAt: number
  address: string
}

export const encodeSubscriptionCursor = (key: SubscriptionKey): string =>
  encodeCursor('p', [key.createdAt, key.address])

/** @returns null when the text is no cursor of subscriptions */
export function decodeSubscriptionCursor(cursor: string): SubscriptionKey | null {
  const parts = decodeCursor('p', cursor, [SIGNED, ADDRESS])
  return parts === null ? null : { createdAt: Number(parts[0]), address: parts[1]! }
}
