import { translateStoreError } from './errors.js'

/** Runs a call on the database; whatever it throws comes out in our words. */
export async function translated<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw translateStoreError(error)
  }
}
