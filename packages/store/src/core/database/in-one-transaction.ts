import { runJoined } from './join-transactions.js'
import type { Store } from './open-store.js'

/**
 * Runs `work` so that every statement of the store that it awaits is part of one transaction: `work` commits as a whole,
 * or it leaves nothing. The statements must not run at the same time.
 * @param signal aborts when nobody waits for the work any more: unless `work` is committed by then, it leaves nothing. Its reason
 *   is a ServiceError, which is thrown
 */
export const inOneTransaction = <T>(
  { database }: Store,
  work: () => Promise<T>,
  signal?: AbortSignal,
): Promise<T> => runJoined(database, work, signal)
