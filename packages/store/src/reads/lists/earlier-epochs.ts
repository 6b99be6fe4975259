// What an earlier epoch of this database has in common with the present one: keys of the earlier one up to there stay valid.
import { sql, type Store } from '../../core/database/sql.js'

/** @returns the last position in common; null for an epoch that this database never had */
export async function readSharedPosition({ database }: Store, epoch: string): Promise<bigint | null> {
  const [row] = await database.lookUp<{ position: bigint }>(sql`
    select last_position as position from earlier_epochs where epoch = ${epoch}::uuid`)
  return row?.position ?? null
}
