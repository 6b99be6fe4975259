// When what failed is sent again by itself, where its webhook recovers. A delivery cycle is 1 try and at most 3 retries.
//
// The endpoint answers  what failed has a next cycle after some seconds, the longer the more tries it has had.
// It fails              one delivery after another asks in a cycle of its own whether the endpoint is back: a delivery after 1, 2, 4
//                       … 256 minutes, and then every 8 hours. So an endpoint that was away for up to 64 hours gets everything,
//                       also where nothing new comes.

/** Cycles of a delivery, the first included: an endpoint can answer and yet refuse one message for ever. */
const CYCLES = 17
const TRIES = 4
/** A delivery with this many tries has no further cycle. */
export const RECOVERED_BELOW_ATTEMPTS = CYCLES * TRIES
/** A delivery that failed longer ago has no further cycle. */
export const RECOVERED_HOURS = 72
/** The longest backoff while the endpoint fails: 8 hours with the default delay of 5 s, which is the unit. */
const LONGEST = 5_760

/** The backoffs after each cycle while the endpoint fails, in delays of the first retry. */
export const BACKOFFS_WHILE_FAILING: readonly number[] = Array.from({ length: CYCLES - 1 }, (_, cycle) =>
  Math.min(12 * 2 ** cycle, LONGEST),
)

/** How long the backoffs are together that are left after each cycle, in the same unit. */
const BACKOFFS_LEFT: readonly number[] = BACKOFFS_WHILE_FAILING.map((_, cycle) =>
  BACKOFFS_WHILE_FAILING.slice(cycle).reduce((sum, backoff) => sum + backoff, 0),
)

/** What decides when a delivery is tried. */
export interface TriedDelivery {
  /** open: not ended; failed: it may have a further cycle */
  is: 'open' | 'failed'
  /** requests so far, and how many there may be at the end of the cycle */
  attempts: number
  triesAllowed: number
  /** when an open one is due, or a failed one failed; milliseconds */
  atMs: number
}

export interface RetryRules {
  /** the delay of the first retry, and the factor by which it grows */
  backoffMs: number
  backoffFactor: number
}

const cyclesOf = (attempts: number): number => Math.max(1, Math.ceil(attempts / TRIES))
const backoffLeft = (attempts: number): number =>
  attempts < RECOVERED_BELOW_ATTEMPTS ? (BACKOFFS_LEFT[cyclesOf(attempts) - 1] ?? 0) : 0

/** @returns milliseconds. A failed one of an endpoint that fails asks in turn, so it can be later */
export function nextTryMs(
  { is, attempts, atMs }: TriedDelivery,
  { isFailing, backoffMs }: { isFailing: boolean; backoffMs: number },
): number {
  if (is === 'open') return atMs
  return atMs + backoffMs * (isFailing ? BACKOFFS_WHILE_FAILING[cyclesOf(attempts) - 1]! : attempts)
}

/**
 * When the service tries for the last time if every try fails at once and no answer asks for patience.
 * @param recovers whether cycles follow this one
 */
export function lastTryMs(
  { is, attempts, triesAllowed, atMs }: TriedDelivery,
  { backoffMs, backoffFactor }: RetryRules,
  recovers: boolean,
): number {
  if (is === 'failed') return atMs + backoffMs * backoffLeft(attempts)
  const retries = Math.min(TRIES, triesAllowed - attempts) - 1
  let delays = 0
  for (let retry = 0; retry < retries; retry++) delays += backoffFactor ** (TRIES - 2 - retry)
  return atMs + backoffMs * (delays + (recovers ? backoffLeft(triesAllowed) : 0))
}
