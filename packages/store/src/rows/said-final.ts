import { type Tx } from '../database/sql.js'

/** Those of some stored events that are final because their message, or a copy of it, says so. */
export async function readSaidFinal(tx: Tx, eventIds: readonly string[]): Promise<ReadonlySet<string>> {
  if (eventIds.length === 0) return new Set()
  const rows = await tx.$queryRaw<{ id: string }[]>`
    select id from events where id = any(${[...eventIds]}::uuid[]) and commitment = 'finalized'`
  return new Set(rows.map(({ id }) => id))
}
