import { sql, type Store } from '../database/sql.js'

/** A row that a task leaves out since it made the task fail. The error can hold foreign text: escape it. */
export interface QuarantinedRow {
  task: string
  /** names the row: an address, an id, or both */
  key: string
  error: string
  since: Date
}

/** Newest first. */
export const listQuarantined = ({ database }: Store, limit: number): Promise<readonly QuarantinedRow[]> =>
  database.read<QuarantinedRow>(sql`
    select task, key, error, since from quarantine order by since desc, task, key limit ${limit}`)

export const countQuarantined = ({ database }: Store): Promise<readonly { task: string; count: bigint }[]> =>
  database.read(sql`select task, count(*) as count from quarantine group by task order by task`)

/** Gives a row back to its task, which quarantines it again if it still fails. @returns whether there was such a row */
export const takeBack = ({ database }: Store, row: { task: string; key: string }): Promise<boolean> =>
  database.withModels(async client => (await client.quarantine.deleteMany({ where: row })).count > 0)
