import type { PreparedSql } from '../prepared-sql.js'
import type { Store } from '../store.js'
import { translated } from '../translated.js'

/**
 * Runs a read and says what failed in our words.
 * @throws StoreTimeoutError, StoreUnavailableError, StoreRefusedError, StoreFaultError
 */
export const readFrom = <T>(store: Store, read: (sql: PreparedSql) => Promise<T>): Promise<T> =>
  translated(() => read(store.prepared))

/** The same for a read that takes a few rows by their key: others wait for it in line. */
export const lookUp = <T>(store: Store, read: (sql: PreparedSql) => Promise<T>): Promise<T> =>
  translated(() => read(store.lookups))
