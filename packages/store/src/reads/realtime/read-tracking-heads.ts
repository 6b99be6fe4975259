import { sql, type Store } from '../../core/database/sql.js'

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
