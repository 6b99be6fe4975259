import { translateStoreError } from '../errors.js'
import type { Reader } from '../reader.js'
import type { Store } from '../store.js'

/**
 * Runs a read and says what failed in our words.
 * @throws StoreTimeoutError, StoreUnavailableError, StoreRefusedError, StoreFaultError
 */
export async function readFrom<T>(store: Store, read: (sql: Reader) => Promise<T>): Promise<T> {
  try {
    return await read(store.reader)
  } catch (error) {
    throw translateStoreError(error)
  }
}
