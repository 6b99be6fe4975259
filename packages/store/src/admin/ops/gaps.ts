import { raw, sql, type Gap, type Store } from '../../core/database/sql.js'

/** A part of the chain that the indexer could not read. Signature, reason and bytes are foreign input: escape them. */
export interface GapRow extends Omit<Gap, 'bytes' | 'signature'> {
  signature: string | null
  /** the number of bytes in the message */
  size: number
}

/** Newest first. @param page `openOnly`: only gaps that are still open */
export const listGaps = (
  { database }: Store,
  page: { openOnly: boolean; limit: number },
): Promise<readonly GapRow[]> =>
  database.read<GapRow>(sql`
    select id, nullif(signature, '') as signature, from_slot as "fromSlot", to_slot as "toSlot", reason,
           coalesce(length(bytes), 0) as size, received_at as "receivedAt", closed_at as "closedAt"
      from gaps where (not ${page.openOnly}::boolean or closed_at is null) order by id desc limit ${page.limit}`)

/** Of the newest 10,000: anybody can write transactions that the indexer cannot read. */
export const countGaps = async ({ database }: Store): Promise<{ open: number; closed: number }> => {
  const [row] = await database.read<{ open: bigint; closed: bigint }>(sql`
    select count(*) filter (where closed_at is null) as open, count(closed_at) as closed
      from (select closed_at from gaps order by id desc limit ${raw('10000')}) g`)
  return { open: Number(row?.open ?? 0n), closed: Number(row?.closed ?? 0n) }
}
