import { translateStoreError } from '../errors.js'
import type { Sql, Store } from '../store.js'

/**
 * Runs a read and says what failed in our words.
 * @throws StoreTimeoutError, StoreUnavailableError, StoreRefusedError, StoreFaultError
 */
export async function readFrom<T>(store: Store, read: (sql: Sql) => Promise<T>): Promise<T> {
  try {
    return await read(store.prisma)
  } catch (error) {
    throw translateStoreError(error)
  }
}
