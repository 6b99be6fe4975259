// The memo rule: what a payment is tracked by.

/** A memo is `[u8; 64]`, so no tracking ID is longer. */
export const MAX_TRACKING_ID_BYTES = 64

const NUL = 0
// `ignoreBOM` keeps a byte order mark: it is part of the text that the payer was given.
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const HALF_PAIR = /\p{Surrogate}/u

/**
 * The tracking ID of a memo: its bytes without trailing NULs, as UTF-8; nothing is trimmed or normalised.
 * @param memo zero-padded bytes, of any length
 * @returns null when nothing is left, a NUL is, or the bytes are not UTF-8 (a character cut at the border)
 */
export function readTrackingId(memo: Uint8Array): string | null {
  let end = memo.length
  while (end > 0 && memo[end - 1] === NUL) end--
  const text = memo.subarray(0, end)
  if (end === 0 || text.includes(NUL)) return null
  try {
    return utf8.decode(text)
  } catch {
    return null
  }
}

const readable = new TextDecoder('utf-8', { ignoreBOM: true })

/**
 * A memo for people, also one that is no tracking ID: its text up to the first NUL, with U+FFFD for bytes that are not UTF-8.
 * Empty when nothing is left.
 */
export function readMemoText(memo: Uint8Array): string {
  const end = memo.indexOf(NUL)
  return readable.decode(end < 0 ? memo : memo.subarray(0, end))
}

/**
 * Whether a memo can hold the text: 1 to 64 bytes of UTF-8 without NUL. Half a surrogate pair has no UTF-8 form: a
 * socket or a database would replace it by U+FFFD, and the text would match another memo.
 */
export function isTrackingId(text: string): boolean {
  if (text.length === 0 || text.length > MAX_TRACKING_ID_BYTES) return false
  return !text.includes('\0') && !HALF_PAIR.test(text) && Buffer.byteLength(text) <= MAX_TRACKING_ID_BYTES
}
