import { translateStoreError } from '../errors.js'
import type { Sql } from '../store.js'

export interface KnownHead {
  trackingId: string
  /** the last `seq` up to which everything was forwarded */
  seq: number
}

/**
 * Which of the tracking IDs have payments beyond what is known of them, with their heads: all of a pod's
 * rooms in one statement. Takes no locks; relies on the primary key of trackings.
 * @throws StoreUnavailableError
 */
export async function findStaleTrackings(sql: Sql, known: readonly KnownHead[]): Promise<KnownHead[]> {
  if (known.length === 0) return []
  const trackingIds = known.map(({ trackingId }) => trackingId)
  const seqs = known.map(({ seq }) => seq)
  try {
    const rows = await sql.$queryRaw<{ tracking_id: string; head: bigint }[]>`
      select t.tracking_id, t.head
        from unnest(${trackingIds}::text[], ${seqs}::bigint[]) as room (tracking_id, seq)
        join trackings t on t.tracking_id = room.tracking_id collate "C" and t.head > room.seq`
    return rows.map(({ tracking_id, head }) => ({ trackingId: tracking_id, seq: Number(head) }))
  } catch (error) {
    throw translateStoreError(error)
  }
}
