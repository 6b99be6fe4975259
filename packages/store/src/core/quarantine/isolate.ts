// A row on which a statement fails must not stop a task for everybody: the task finds the row, quarantines it, and goes on.
import { StoreTimeoutError } from '../errors.js'
import { sql, type Sql, type Store } from '../database/sql.js'
import { bisect } from './bisect.js'

/** Tasks that quarantine rows; `key` of a row is the text of what the task works on. */
export type IsolatingTask =
  | 'cancel-deliveries'
  | 'deactivate-webhooks'
  | 'due-dates'
  | 'expectations'
  | 'failing-webhooks'
  | 'check-policies'
  | 'payment-risks'
  | 'recover-deliveries'
  | 'redeliver'
  | 'release-messages'
  | 'replay-messages'
  | `retention ${string}`
  | 'sweep-deliveries'
  | 'task'
  | 'webhook-health'

/**
 * Does work for a page of rows (`bisect`), quarantines the rows that make it fail (listQuarantined), and goes on. One row alone is
 * not quarantined for a timeout.
 * @param work is atomic: it changes nothing when it throws
 * @returns what the calls returned, in their order
 * @throws StoreUnavailableError, StoreTimeoutError: the rest of the page was not done
 */
export const isolate = <Key extends bigint | string | { toString(): string }, Result>(
  store: Store,
  task: IsolatingTask,
  keys: readonly Key[],
  work: (keys: readonly Key[]) => Promise<Result>,
): Promise<Result[]> =>
  bisect(keys, work, {
    alone: async (key, error) => {
      if (error instanceof StoreTimeoutError) throw error
      await quarantine(store, task, String(key), error)
      return []
    },
  })

/** Quarantines one row. A row that fails again after an operator asked for it is quarantined anew. */
export async function quarantine(
  { database }: Store,
  task: IsolatingTask,
  key: string,
  error: unknown,
): Promise<void> {
  await database.execute(quarantineRow(task, key, error))
}

/** The statement of `quarantine`, for a transaction that goes on. SQL: transactions of both kinds run it. */
export function quarantineRow(task: IsolatingTask, key: string, error: unknown): Sql {
  const text = String(error instanceof Error ? (error.cause ?? error) : error).slice(0, 1_000)
  return sql`
    insert into quarantine (task, key, error) values (${task}, ${key}, ${text}) on conflict do nothing`
}

/** The condition that the row of a key was not quarantined. Relies on the key of quarantine. */
export const isNotQuarantined = (task: IsolatingTask, key: Sql): Sql =>
  sql`not exists (select from quarantine s where s.task = ${task} and s.key = ${key})`
