import type { RunRead, Store } from './sql.js'

export interface ReadBounds {
  /** ends the reads: one that runs is cancelled, and none begins after it. Its reason is a ServiceError, which the reads throw */
  signal: AbortSignal
  /** runs each `read`, for example when its turn has come; a `lookUp` is answered at once */
  around?: <T>(read: () => Promise<T>) => Promise<T>
}

/**
 * A store whose reads have bounds. A function that reads page by page needs to know nothing of them: it ends between two pages, and
 * waits there for its turn.
 */
export function boundReads(store: Store, { signal, around = read => read() }: ReadBounds): Store {
  const { database } = store
  const read: RunRead = statement => around(() => database.read(statement, signal))
  const lookUp: RunRead = statement => database.lookUp(statement, signal)
  return { ...store, database: { ...database, read, lookUp } }
}
