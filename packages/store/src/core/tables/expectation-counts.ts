// How many expectations of a gateway are open: the table expectation_counts, and those that are still being counted.
import { bigints, inline, sql, type Tx } from '../database/sql.js'
import type { Expectation } from './expectations.js'

/** Each has a row of its own for a gateway: ingest waits for nobody. */
export type CountWriter = 'ingest' | 'scheduler'

const isOpen = ({ counting, notified }: Expectation): boolean => !counting && notified.all.state === 'open'

/**
 * Writes the differences that a transaction makes, one row for each gateway. SQL: adds to what is stored.
 * @param moved each before and after
 */
export async function countOpen(
  tx: Tx,
  writer: CountWriter,
  moved: readonly { before: Expectation; after: Expectation }[],
): Promise<void> {
  const byGateway = new Map<string, number>()
  for (const { before, after } of moved) {
    const { gateway } = after.terms
    byGateway.set(gateway, (byGateway.get(gateway) ?? 0) + Number(isOpen(after)) - Number(isOpen(before)))
  }
  const changed = [...byGateway].filter(([, open]) => open !== 0).sort(([a], [b]) => (a < b ? -1 : 1))
  if (changed.length === 0) return
  await tx.$executeRaw(sql`
    insert into expectation_counts as c (gateway, writer, open)
    select unnest(${changed.map(([gateway]) => gateway)}::text[]), ${writer}, unnest(${bigints(changed.map(([, open]) => open))})
    on conflict (gateway, writer) do update set open = c.open + excluded.open`)
}

/** At most one more than `most`. Relies on the keys of expectation_counts and on expectations_counting. */
export async function readOpen(tx: Tx, gateway: string, most: number): Promise<number> {
  const [row] = await tx.$queryRaw<{ open: number }[]>`
    select least(${inline(most + 1)}, (
             select coalesce(sum(open), 0) from expectation_counts where gateway = ${gateway}) + (
             select count(*) from (
               select from expectations where gateway = ${gateway} and counting limit ${inline(most + 1)}) c))::integer as open`
  return row!.open
}
