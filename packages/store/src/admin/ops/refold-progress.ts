// The progress of what ingest does in pages (ingest/batch/do-work.ts), for operators.
import type { Store } from '../../core/database/open-store.js'
import { sql } from '../../core/database/sql.js'
import { INGEST_KINDS } from '../../core/tasks/kinds.js'
import { eachOf } from '../../core/tasks/work-table.js'

export interface RefoldProgress {
  /** of `INGEST_KINDS` */
  kind: string
  address: string
  /** pages that are done */
  pages: bigint
  since: Date
}

/** In the order in which their next pages are done. Relies on work_next. */
export const listRefolds = ({ database }: Store, limit: number): Promise<readonly RefoldProgress[]> =>
  database.read<RefoldProgress>(sql`
    select w.kind, w.key as address, w.handled as pages, w.since from ${eachOf(INGEST_KINDS)}
     order by w.kind = 'hour', w.next_at limit ${limit}`)
