import { type Tx } from '../database/sql.js'

/** Whether an event is final. */
export type IsFinal = (cause: { eventId: string; slot: number }) => boolean

/** Those of some stored events that are final because their message, or a copy of it, says so. */
export async function readSaidFinal(tx: Tx, eventIds: readonly string[]): Promise<ReadonlySet<string>> {
  if (eventIds.length === 0) return new Set()
  const rows = await tx.$queryRaw<{ id: string }[]>`
    select id from events where id = any(${[...eventIds]}::uuid[]) and commitment = 'finalized'`
  return new Set(rows.map(({ id }) => id))
}

/**
 * An event is final when its slot is, or when its own message or a copy of it says so.
 * @param stored events that are asked for
 * @param known other events that are said to be final
 */
export async function readFinality(
  tx: Tx,
  finalizedSlot: bigint,
  stored: readonly string[],
  known: readonly string[] = [],
): Promise<IsFinal> {
  const final = new Set([...known, ...(await readSaidFinal(tx, stored))])
  return ({ eventId, slot }) => BigInt(slot) <= finalizedSlot || final.has(eventId)
}
