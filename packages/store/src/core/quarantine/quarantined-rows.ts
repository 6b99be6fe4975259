import type { Store } from '../database/open-store.js'
import { sql } from '../database/sql.js'

/** A row that a task leaves out since it made the task fail. The error can hold foreign text: escape it. */
export interface SetAsideRow {
  task: string
  /** names the row: an address, an id, or both */
  key: string
  error: string
  since: Date
}

/** Newest first. */
export const listSetAside = ({ database }: Store, limit: number): Promise<readonly SetAsideRow[]> =>
  database.read<SetAsideRow>(sql`
    select task, key, error, since from set_aside order by since desc, task, key limit ${limit}`)

export const countSetAside = ({ database }: Store): Promise<readonly { task: string; count: bigint }[]> =>
  database.read(sql`select task, count(*) as count from set_aside group by task order by task`)

/** Gives a row back to its task, which sets it aside again if it still fails. @returns whether there was such a row */
export const takeBack = async ({ database }: Store, row: { task: string; key: string }): Promise<boolean> =>
  (await database.execute(sql`delete from set_aside where task = ${row.task} and key = ${row.key}`)) > 0
