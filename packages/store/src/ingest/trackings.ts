import { sql, type Tx } from '../database/sql.js'
import type { PipelinedTx } from '../database/pipelined-transactions.js'

/** The last `seq` of each tracking ID with payments. */
export async function readTrackingHeads(
  tx: Tx,
  trackingIds: readonly string[],
): Promise<Map<string, bigint>> {
  if (trackingIds.length === 0) return new Map()
  const rows = await tx.$queryRaw<{ tracking_id: string; head: bigint }[]>`
    select tracking_id, head from trackings where tracking_id = any(${trackingIds}::text[])`
  return new Map(rows.map(row => [row.tracking_id, row.head]))
}

export function writeTrackingHeads(tx: PipelinedTx, heads: ReadonlyMap<string, bigint>): void {
  if (heads.size === 0) return
  tx.send(sql`
    insert into trackings (tracking_id, head)
    select * from unnest(${[...heads.keys()]}::text[], ${[...heads.values()].map(String)}::bigint[])
    on conflict (tracking_id) do update set head = excluded.head`)
}
