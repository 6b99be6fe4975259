import { sql, type Store } from '../../core/database/sql.js'

/** Where the stream and the lists of events begin; null while there is no event. */
interface FirstEvent {
  position: bigint | null
  occurredAt: Date | null
}

/**
 * Reads the first entries of events_position_key and events_newest from there on. Where all events were archived, both begin
 * after them.
 */
export async function readFirstEvent({ database }: Store): Promise<FirstEvent> {
  const [first] = await database.lookUp<FirstEvent>(sql`
    select coalesce((select min(position) from events where position >= first_position), nullif(first_position, 0)) as position,
           coalesce((select min(occurred_at) from events where occurred_at >= lists_begin), nullif(lists_begin, '-infinity'))
             as "occurredAt"
      from stream_head`)
  return first!
}

/**
 * Up to which position an earlier epoch had the same events as the present epoch. A cursor of the earlier epoch stays valid up to there.
 * @returns null for an epoch that this database never had
 */
export async function readSharedPosition({ database }: Store, epoch: string): Promise<bigint | null> {
  const [row] = await database.lookUp<{ position: bigint }>(sql`
    select last_position as position from earlier_epochs where epoch = ${epoch}::uuid`)
  return row?.position ?? null
}
