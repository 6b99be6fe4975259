import { visibleText } from '@payment-tracking/contracts/visible-text'

/** The name in a `[u8; 32]` of the chain: UTF-8 without the zeros after it; null when it is empty or no text. */
export function readName(bytes: unknown): string | null {
  if (!Array.isArray(bytes)) return null
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(Uint8Array.from(bytes as number[]))
    return visibleText(text.replace(/\0+$/, '').trim()) || null
  } catch {
    return null
  }
}
