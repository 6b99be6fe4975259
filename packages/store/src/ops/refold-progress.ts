// The progress of work on addresses (ingest/work.ts), for operators.
import type { Store } from '../database/open-store.js'
import { sql } from '../database/sql.js'

export interface RefoldProgress {
  /** `policy`, `user-payment`, `hour`, `watermark`, `facts` or `all` */
  kind: string
  address: string
  /** pages that are done */
  pages: bigint
  since: Date
}

/** In the order in which their next pages are done. Relies on refolds_turn. */
export const listRefolds = ({ database }: Store, limit: number): Promise<readonly RefoldProgress[]> =>
  database.read<RefoldProgress>(sql`
    select kind, address, handled as pages, since from refolds order by kind = 'hour', turn limit ${limit}`)
