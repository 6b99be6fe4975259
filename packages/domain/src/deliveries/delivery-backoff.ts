// When a refused delivery is tried again.

/** The longest delay that a `Retry-After` can ask for. */
export const RETRY_AFTER_MAX_MS = 3_600_000

/** Delays vary by this share in both directions, so that deliveries that failed together are not retried together. */
const JITTER = 0.2

/**
 * The delay before the next try: base, factor·base, factor²·base, … ±20 %. A `Retry-After` counts between the scheduled
 * delay and one hour.
 * @param triesMade tries of this cycle so far, at least 1
 * @param chance uniform in [0, 1)
 * @param retryAfterMs what the endpoint asked for, or null
 */
export function retryDelayMs(
  triesMade: number,
  baseMs: number,
  chance: number,
  retryAfterMs: number | null = null,
  factor = 2,
): number {
  const scheduledMs = Math.round(baseMs * factor ** (triesMade - 1) * (1 - JITTER + 2 * JITTER * chance))
  if (retryAfterMs === null) return scheduledMs
  return Math.max(scheduledMs, Math.min(retryAfterMs, RETRY_AFTER_MAX_MS))
}

/**
 * Reads `Retry-After`: whole seconds, or an HTTP date (RFC 9110, 10.2.3).
 * @returns milliseconds from `nowMs`, never negative; null when the header is missing or invalid
 */
export function readRetryAfterMs(header: string | undefined, nowMs: number): number | null {
  const text = header?.trim()
  if (text === undefined || text === '') return null
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1_000
  // Date.parse accepts text that is no HTTP date ("2 apples"). The three legal forms begin with a weekday.
  if (!/^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)/.test(text)) return null
  const at = Date.parse(text)
  return Number.isNaN(at) ? null : Math.max(0, at - nowMs)
}
