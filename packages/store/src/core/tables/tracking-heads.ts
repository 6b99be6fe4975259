// The last `seq` of each tracking ID.
import { bigints, sql, type PipelinedTx, type Tx } from '../database/sql.js'

/** The last `seq` of tracking IDs; 0 without payments. */
export interface BatchHeads extends Map<string, bigint> {
  /** those that some gateway expects payments of */
  readonly expected: Set<string>
}

const emptyHeads = (trackingIds: readonly string[] = []): BatchHeads =>
  Object.assign(new Map(trackingIds.map(trackingId => [trackingId, 0n])), { expected: new Set<string>() })

/** The heads of some tracking IDs. */
export async function readBatchHeads(tx: Tx, trackingIds: readonly string[]): Promise<BatchHeads> {
  if (trackingIds.length === 0) return emptyHeads()
  const rows = await tx.$queryRaw<{ tracking_id: string; head: bigint; expected: boolean }[]>`
    select tracking_id, head, expected from trackings where tracking_id = any(${trackingIds}::text[])`
  const heads = emptyHeads(trackingIds)
  for (const { tracking_id, head, expected } of rows) {
    heads.set(tracking_id, head)
    if (expected) heads.expected.add(tracking_id)
  }
  return heads
}

/**
 * Counts on from the heads; `writeTrackingHeads` sends the new ones. `preloaded` takes over which of the others are expected.
 * @param trackingIds of payments in the order in which they are counted; null gets no `seq`
 */
export async function giveSeqs(
  tx: Tx,
  trackingIds: readonly (string | null)[],
  preloaded: BatchHeads = emptyHeads(),
): Promise<(bigint | null)[]> {
  const unread = trackingIds.filter(trackingId => trackingId !== null && !preloaded.has(trackingId))
  const read = await readBatchHeads(tx, [...new Set(unread as string[])])
  for (const trackingId of read.expected) preloaded.expected.add(trackingId)
  const heads = new Map<string, bigint>()
  return trackingIds.map(trackingId => {
    if (trackingId === null) return null
    const seq = (heads.get(trackingId) ?? preloaded.get(trackingId) ?? read.get(trackingId)!) + 1n
    heads.set(trackingId, seq)
    return seq
  })
}

/** SQL: a model upserts one row in a statement. @param counted payments in the order in which they were counted */
export function writeTrackingHeads(
  tx: PipelinedTx,
  counted: readonly { trackingId: string | null; seq: bigint | null }[],
): void {
  const heads = new Map<string, bigint>()
  for (const { trackingId, seq } of counted)
    if (trackingId !== null && seq !== null) heads.set(trackingId, seq)
  if (heads.size === 0) return
  tx.send(sql`
    insert into trackings (tracking_id, head)
    select unnest(${[...heads.keys()]}::text[]), unnest(${bigints([...heads.values()])})
    on conflict (tracking_id) do update set head = excluded.head`)
}
