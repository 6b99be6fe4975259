import { decodeCursor, encodeCursor, UUID } from '../cursor.js'
import type { PositionKey } from '../lists/position-cursor.js'

/** A key in the feed of a gateway: the position among payments, and the sequence among all other messages. */
export interface FeedKey extends PositionKey {
  sequence: bigint
}

export const encodeFeedCursor = ({ epoch, position, sequence }: FeedKey): string =>
  encodeCursor('f', [epoch, position.toString(), sequence.toString()])

/** @returns null when the text is no cursor of a feed */
export function decodeFeedCursor(cursor: string): FeedKey | null {
  const parts = decodeCursor('f', cursor, [UUID, /^\d{1,18}$/, /^\d{1,18}$/])
  return parts === null
    ? null
    : { epoch: parts[0]!, position: BigInt(parts[1]!), sequence: BigInt(parts[2]!) }
}
