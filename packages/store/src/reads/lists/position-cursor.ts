import { decodeCursor, encodeCursor, UUID } from '../cursor.js'

/** A key in the stream of all events: a commit position of one database (its epoch). */
export interface PositionKey {
  epoch: string
  position: bigint
}

export const encodePositionCursor = (key: PositionKey): string =>
  encodeCursor('c', [key.epoch, key.position.toString()])

/** @returns null when the text is no cursor of the stream */
export function decodePositionCursor(cursor: string): PositionKey | null {
  const parts = decodeCursor('c', cursor, [UUID, /^\d{1,18}$/])
  return parts === null ? null : { epoch: parts[0]!, position: BigInt(parts[1]!) }
}
