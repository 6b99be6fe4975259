import { decodeCursor, encodeCursor, NUMBER, UUID } from '../cursor.js'

/** The key of an expectation in a list. */
export interface ExpectationKey {
  createdAt: Date
  id: string
}

export const encodeExpectationCursor = ({ createdAt, id }: ExpectationKey): string =>
  encodeCursor('x', [createdAt.getTime(), id])

/** @returns null when the text is no cursor of expectations */
export function decodeExpectationCursor(cursor: string): ExpectationKey | null {
  const parts = decodeCursor('x', cursor, [NUMBER, UUID])
  return parts === null ? null : { createdAt: new Date(Number(parts[0])), id: parts[1]! }
}
