import type { Readable } from 'node:stream'

/** Kept of a response body, and read of it before the connection is given up. */
export const KEPT_BYTES = 4_096
export const READ_BYTES = 65_536

/** Headers that may be stored and shown: they help the gateway and hold no credentials. */
const SAFE_HEADERS = [
  'content-type',
  'content-length',
  'date',
  'location',
  'retry-after',
  'server',
  'x-request-id',
]
const HEADER_LENGTH = 256

/** Postgres text holds no NUL; a body that was cut in a character ends in a replacement mark. */
const clean = (text: string): string => text.replaceAll('\0', '�')

/**
 * Reads a body up to a limit and keeps its beginning. We ask for no encoding and undo none, so these are the
 * bytes on the wire and a small body cannot unpack to a large one.
 */
export async function readBody(body: Readable): Promise<string> {
  const kept: Buffer[] = []
  let read = 0
  for await (const chunk of body as AsyncIterable<Buffer>) {
    if (read < KEPT_BYTES) kept.push(chunk.subarray(0, KEPT_BYTES - read))
    read += chunk.length
    if (read >= READ_BYTES) break // leaving the loop closes the connection
  }
  return clean(Buffer.concat(kept).toString('utf8'))
}

export function pickHeaders(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  const picked: Record<string, string> = {}
  for (const name of SAFE_HEADERS) {
    const value = headers[name]
    if (value !== undefined) picked[name] = clean(String(value).slice(0, HEADER_LENGTH))
  }
  return picked
}
