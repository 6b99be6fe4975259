import { runJoined } from './join-transactions.js'
import type { Store } from './open-store.js'

/**
 * Runs `work` so that every statement of the store that it awaits is part of one transaction: `work` commits as a whole,
 * or it leaves nothing. The statements must not run at the same time.
 */
export const inOneTransaction = <T>({ database }: Store, work: () => Promise<T>): Promise<T> =>
  runJoined(database, work)
