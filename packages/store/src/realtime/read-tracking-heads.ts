import type { Store } from '../database/open-store.js'
import { sql } from '../database/sql.js'

export interface TrackingHeads {
  /** names this database: a `seq` of another one means nothing here */
  epoch: string
  /** the last position that the epoch before has in common with this one; null in a database's first epoch */
  branchPosition: bigint | null
  /** the last `seq` of each tracking ID that has payments */
  heads: Map<string, number>
}

interface HeadRow {
  epoch: string
  branch_position: bigint | null
  tracking_id: string | null
  head: bigint | null
}

/**
 * How far each tracking ID has come, in one statement. Takes no locks; relies on the primary key of
 * trackings. A head is committed together with its payments: what it counts can be read afterwards.
 * @throws StoreUnavailableError
 */
export async function readTrackingHeads(
  { database }: Store,
  trackingIds: readonly string[],
): Promise<TrackingHeads> {
  const rows = await database.read<HeadRow>(sql`
      select s.epoch::text as epoch, s.branch_position, t.tracking_id, t.head
        from stream_head s
        left join trackings t on t.tracking_id = any(${trackingIds}::text[])`)
  const heads = new Map<string, number>()
  for (const { tracking_id, head } of rows) if (tracking_id !== null) heads.set(tracking_id, Number(head))
  return { epoch: rows[0]!.epoch, branchPosition: rows[0]!.branch_position, heads }
}
