// The last `seq` of each tracking ID.
import { bigints, sql, type Tx } from '../database/sql.js'
import type { PipelinedTx } from '../database/pipelined-transactions.js'

/** The last `seq` of each of some tracking IDs; 0 without payments. */
export async function readTrackingHeads(
  tx: Tx,
  trackingIds: readonly string[],
): Promise<Map<string, bigint>> {
  if (trackingIds.length === 0) return new Map()
  const rows = await tx.$queryRaw<{ tracking_id: string; head: bigint }[]>`
    select tracking_id, head from trackings where tracking_id = any(${trackingIds}::text[])`
  const heads = new Map(trackingIds.map(trackingId => [trackingId, 0n]))
  for (const { tracking_id, head } of rows) heads.set(tracking_id, head)
  return heads
}

/**
 * Counts on from the heads, and sends the new heads.
 * @param trackingIds of payments in the order in which they are counted; null gets no `seq`
 */
export async function giveSeqs(
  tx: PipelinedTx,
  trackingIds: readonly (string | null)[],
  known: ReadonlyMap<string, bigint> = new Map(),
): Promise<(bigint | null)[]> {
  const unread = trackingIds.filter(trackingId => trackingId !== null && !known.has(trackingId))
  const read = await readTrackingHeads(tx, [...new Set(unread as string[])])
  const heads = new Map<string, bigint>()
  const seqs = trackingIds.map(trackingId => {
    if (trackingId === null) return null
    const seq = (heads.get(trackingId) ?? known.get(trackingId) ?? read.get(trackingId)!) + 1n
    heads.set(trackingId, seq)
    return seq
  })
  writeTrackingHeads(tx, heads)
  return seqs
}

function writeTrackingHeads(tx: PipelinedTx, heads: ReadonlyMap<string, bigint>): void {
  if (heads.size === 0) return
  tx.send(sql`
    insert into trackings (tracking_id, head)
    select * from unnest(${[...heads.keys()]}::text[], ${bigints([...heads.values()])})
    on conflict (tracking_id) do update set head = excluded.head`)
}
