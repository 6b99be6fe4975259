// A page of rows that fails as a whole is halved until the row is found that makes it fail.
import { StoreContentsError, StoreUnavailableError, StoreUnverifiedError } from '../errors.js'

/** Not a row's fault: the same call may succeed later. A timeout may be one. */
export const isTransient = (error: unknown): boolean =>
  error instanceof StoreUnavailableError ||
  error instanceof StoreUnverifiedError ||
  error instanceof StoreContentsError

/** What becomes of a failure. */
export interface Bisection<Item, Result> {
  /** of one item, which fails by itself. What it throws ends the work */
  alone: (item: Item, error: unknown) => Promise<readonly Result[]>
  /** whether an error is nobody's fault: it ends the work */
  isTransient?: (error: unknown) => boolean
}

/**
 * Calls `work` with all items. If it throws, calls it with each half, and so on, until the failing item stands alone. One bad item
 * among n costs about 2·log₂ n calls.
 * @param work must change nothing when it throws
 * @returns the results of the calls, in the order of the items
 * @throws the error of an outage; items after it were not done
 */
export async function bisect<Item, Result>(
  items: readonly Item[],
  work: (items: readonly Item[]) => Promise<Result>,
  of: Bisection<Item, Result>,
): Promise<Result[]> {
  if (items.length === 0) return []
  try {
    return [await work(items)]
  } catch (error) {
    if ((of.isTransient ?? isTransient)(error)) throw error
    if (items.length === 1) return [...(await of.alone(items[0]!, error))]
    const middle = Math.ceil(items.length / 2)
    const first = await bisect(items.slice(0, middle), work, of)
    return [...first, ...(await bisect(items.slice(middle), work, of))]
  }
}
