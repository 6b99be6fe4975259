import type { RunRead } from './database.js'
import type { Store } from './open-store.js'

/**
 * A store whose reads end with a signal: one that runs is cancelled, and none begins after it. So a function that reads page by page
 * ends by itself between two pages.
 * @param signal its reason is a ServiceError, which the reads throw
 */
export function untilAborted(store: Store, signal: AbortSignal): Store {
  const { database } = store
  const until =
    (read: RunRead): RunRead =>
    statement =>
      read(statement, signal)
  return {
    ...store,
    database: { ...database, read: until(database.read), lookUp: until(database.lookUp) },
  }
}
