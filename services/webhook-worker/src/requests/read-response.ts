/** The worker reads and keeps this much of a response body before it closes the connection. */
export const KEPT_BYTES = 4_096
export const READ_BYTES = 65_536

/** Headers that the worker may store and show: these headers help the gateway and hold no credentials. */
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

/** Postgres text cannot hold NUL. A body that was cut inside a character ends in a replacement mark. */
const clean = (text: string): string => text.replaceAll('\0', '�')

export interface KeptBody {
  /** @returns `enough` when the caller should read no more */
  add(chunk: Buffer): 'more' | 'enough'
  text(): string
}

/**
 * Keeps the beginning of a body. The worker requests no encoding and decodes none: these are the bytes on the wire, and
 * a small body cannot unpack to a large body.
 */
export function keepBeginning(): KeptBody {
  const kept: Buffer[] = []
  let read = 0
  return {
    add: chunk => {
      if (read < KEPT_BYTES) kept.push(chunk.subarray(0, KEPT_BYTES - read))
      read += chunk.length
      return read < READ_BYTES ? 'more' : 'enough'
    },
    text: () => (kept.length === 0 ? '' : clean(Buffer.concat(kept).toString('utf8'))),
  }
}

export function pickHeaders(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  const picked: Record<string, string> = {}
  for (const name of SAFE_HEADERS) {
    const value = headers[name]
    if (value !== undefined) picked[name] = clean(String(value).slice(0, HEADER_LENGTH))
  }
  return picked
}
