import { translateStoreError } from '../errors.js'
import type { PreparedSql } from '../prepared-sql.js'
import type { Store } from '../store.js'

/**
 * Runs a read and says what failed in our words.
 * @throws StoreTimeoutError, StoreUnavailableError, StoreRefusedError, StoreFaultError
 */
export async function readFrom<T>(store: Store, read: (sql: PreparedSql) => Promise<T>): Promise<T> {
  try {
    return await read(store.prepared)
  } catch (error) {
    throw translateStoreError(error)
  }
}
