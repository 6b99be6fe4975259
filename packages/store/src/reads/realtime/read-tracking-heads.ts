import { bigints, sql, type Store } from '../../core/database/sql.js'

export interface HeadsWithEpoch {
  /** names this database: a `seq` of another database is invalid here */
  epoch: string
  /** the last position that all earlier epochs share with this epoch; null in a database's first epoch */
  branchPosition: bigint | null
  /** the last `seq` of each tracking ID that has payments */
  heads: Map<string, number>
}

/**
 * The head of each tracking ID, in one statement. Takes no locks; relies on the primary key of trackings. A head
 * commits together with its payments, so a later read finds all payments up to the head.
 * @throws StoreUnavailableError
 */
export async function readHeadsWithEpoch(
  { database }: Store,
  trackingIds: readonly string[],
): Promise<HeadsWithEpoch> {
  const rows = await database.read<
    Omit<HeadsWithEpoch, 'heads'> & { trackingId: string | null; head: number }
  >(sql`
      select s.epoch::text as epoch, (select min(last_position) from earlier_epochs) as "branchPosition", t.tracking_id as "trackingId",
             t.head::float8 as head
        from stream_head s
        left join trackings t on t.tracking_id = any(${trackingIds}::text[])`)
  const { epoch, branchPosition } = rows[0]!
  const heads = rows.flatMap(({ trackingId, head }) =>
    trackingId === null ? [] : [[trackingId, head] as const],
  )
  return { epoch, branchPosition, heads: new Map(heads) }
}

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
