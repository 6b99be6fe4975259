// Why the archive does not go on, for operators.
import { sql, type Store } from '../database/sql.js'

export interface ArchiveProblem {
  /** one line, with the cure */
  problem: string
  since: Date
  /** when ingest tried last */
  seenAt: Date
}

/** SQL: compares with what is stored. @param problem null when the archive goes on */
export async function noteArchiveProblem({ database }: Store, problem: string | null): Promise<void> {
  await database.execute(
    problem === null
      ? sql`delete from archive_problem`
      : sql`
          insert into archive_problem as a (problem) values (${problem})
          on conflict (id) do update set problem = excluded.problem, seen_at = clock_timestamp(),
            since = case when a.problem = excluded.problem then a.since else clock_timestamp() end`,
  )
}

export async function readArchiveProblem({ database }: Store): Promise<ArchiveProblem | undefined> {
  const statement = sql`select problem, since, seen_at as "seenAt" from archive_problem`
  return (await database.read<ArchiveProblem>(statement))[0]
}
