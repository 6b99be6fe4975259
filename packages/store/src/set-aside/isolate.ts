// A row on which a statement fails must not stop a task for everybody: the task finds the row, sets it aside, and goes on.
import {
  StoreContentsError,
  StoreTimeoutError,
  StoreUnavailableError,
  StoreUnverifiedError,
} from '../errors.js'
import type { Store } from '../database/open-store.js'
import { sql, type Sql } from '../database/sql.js'

/** Tasks that set rows aside; `key` of a row is the text of what the task works on. */
export type IsolatingTask =
  | 'cancel-deliveries'
  | 'deactivate-webhooks'
  | 'due-dates'
  | 'failing-webhooks'
  | 'look-at-policies'
  | 'payment-risks'
  | 'recover-deliveries'
  | 'redeliver'
  | 'refold'
  | 'release-messages'
  | `retention ${string}`
  | 'sweep-deliveries'
  | 'webhook-health'

/** Not a row's fault: the same call may succeed later. A timeout may be one. */
export const isOutage = (error: unknown): boolean =>
  error instanceof StoreUnavailableError ||
  error instanceof StoreUnverifiedError ||
  error instanceof StoreContentsError

/**
 * Does work for a page of rows, in as few calls as it can. When the work fails, halves the page until the one row is
 * found that makes it fail, sets that row aside (listSetAside), and goes on: a page of n rows with one such row takes
 * some 2·log₂ n calls. A timeout halves the page too, but one row alone is not set aside for it.
 * @param work is atomic: it changes nothing when it throws
 * @returns what the calls returned, in their order
 * @throws StoreUnavailableError, StoreTimeoutError: the rest of the page was not done
 */
export async function isolate<Key extends bigint | string | { toString(): string }, Result>(
  store: Store,
  task: IsolatingTask,
  keys: readonly Key[],
  work: (keys: readonly Key[]) => Promise<Result>,
): Promise<Result[]> {
  if (keys.length === 0) return []
  try {
    return [await work(keys)]
  } catch (error) {
    if (isOutage(error)) throw error
    if (keys.length === 1) {
      if (error instanceof StoreTimeoutError) throw error
      await setAside(store, task, String(keys[0]), error)
      return []
    }
    const middle = Math.ceil(keys.length / 2)
    const first = await isolate(store, task, keys.slice(0, middle), work)
    return [...first, ...(await isolate(store, task, keys.slice(middle), work))]
  }
}

/** Sets one row aside. A row that fails again after an operator asked for it is set aside anew. */
export async function setAside(
  { database }: Store,
  task: IsolatingTask,
  key: string,
  error: unknown,
): Promise<void> {
  await database.execute(settingAside(task, key, error))
}

/** The statement of `setAside`, for a transaction that goes on. */
export function settingAside(task: IsolatingTask, key: string, error: unknown): Sql {
  const text = String(error instanceof Error ? (error.cause ?? error) : error).slice(0, 1_000)
  return sql`
    insert into set_aside (task, key, error) values (${task}, ${key}, ${text}) on conflict do nothing`
}

/** The condition that the row of a key was not set aside. Relies on the key of set_aside. */
export const isNotSetAside = (task: IsolatingTask, key: Sql): Sql =>
  sql`not exists (select from set_aside s where s.task = ${task} and s.key = ${key})`
