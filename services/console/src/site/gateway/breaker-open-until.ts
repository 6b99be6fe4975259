/**
 * When the endpoint is tried again behind an open breaker. Each worker has a breaker of its own in memory, which no route
 * tells; what it holds back does.
 * @returns ISO 8601; null while the breaker holds nothing back
 */
export const breakerOpenUntil = (
  waiting: readonly { heldReason: string | null; nextAttemptAt: string | null }[],
): string | null =>
  waiting
    .flatMap(({ heldReason, nextAttemptAt }) =>
      heldReason === 'breaker open' && nextAttemptAt !== null ? [nextAttemptAt] : [],
    )
    .sort()[0] ?? null
