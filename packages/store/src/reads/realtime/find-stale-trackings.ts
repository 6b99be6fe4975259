import { bigints, sql, type Store } from '../../core/database/sql.js'

export interface KnownHead {
  trackingId: string
  /** the last `seq` up to which the pod forwarded every payment */
  seq: number
}

export interface StaleTrackings {
  /** names this database: when the epoch changes, all knowledge of the database is invalid */
  epoch: string
  stale: KnownHead[]
}

/**
 * Finds the tracking IDs with payments beyond the given `seq`, with their heads: all rooms of a pod in one statement.
 * Bounded: one probe of the primary key of trackings a room, whatever was paid; takes no locks.
 * @throws StoreUnavailableError
 */
export async function findStaleTrackings(
  { database }: Store,
  known: readonly KnownHead[],
): Promise<StaleTrackings> {
  const trackingIds = known.map(({ trackingId }) => trackingId)
  const seqs = known.map(({ seq }) => seq)
  const rows = await database.read<{ epoch: string; trackingId: string | null; seq: number }>(sql`
      select s.epoch::text as epoch, beyond.tracking_id as "trackingId", beyond.head::float8 as seq
        from stream_head s
        left join (
          select t.tracking_id, t.head
            from unnest(${trackingIds}::text[], ${bigints(seqs)}) as room (tracking_id, seq)
            join trackings t on t.tracking_id = room.tracking_id collate "C" and t.head > room.seq
        ) beyond on true`)
  const stale = rows.flatMap(({ trackingId, seq }) => (trackingId === null ? [] : [{ trackingId, seq }]))
  return { epoch: rows[0]!.epoch, stale }
}
