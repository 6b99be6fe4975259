import { sql, type Store } from '../database/sql.js'

/** The stream of a message. A stream that was deleted and created again restarts its sequences. */
export interface StreamIdentity {
  name: string
  createdAt: Date
}

/** Records whether the stream takes control messages, for the dashboard. */
export function noteControlSubjects({ database }: Store, takes: boolean): Promise<unknown> {
  const differs = [{ takesControls: null }, { takesControls: !takes }]
  return database.withModels(client =>
    client.streamHead.updateMany({ where: { id: 1, OR: differs }, data: { takesControls: takes } }),
  )
}

/** Whether the stream takes control messages, as ingest saw last; null before the first check. */
export async function readControlSubjects({ database }: Store): Promise<boolean | null> {
  const [row] = await database.read<{ takes: boolean | null }>(sql`
    select takes_controls as takes from stream_head where id = 1`)
  return row?.takes ?? null
}

/** Messages that the stream discarded before they were read, by their sequences, both inclusive. */
export interface MissedMessages {
  fromSequence: number
  toSequence: number
}

export interface StreamGap {
  id: bigint
  stream: string
  fromSequence: bigint
  toSequence: bigint
  noticedAt: Date
  closedAt: Date | null
}

/**
 * SQL: compares with what is stored. Records a gap, once for each first sequence. A gap that grew is open again.
 * @returns whether the gap is new
 */
export async function recordStreamGap(
  { database }: Store,
  stream: StreamIdentity,
  gap: MissedMessages,
): Promise<boolean> {
  const written = await database.execute(sql`
    insert into stream_gaps as g (stream, stream_created_at, from_sequence, to_sequence)
    values (${stream.name}, ${stream.createdAt}, ${gap.fromSequence}, ${gap.toSequence})
    on conflict (stream, stream_created_at, from_sequence) do update
       set to_sequence = excluded.to_sequence, closed_at = null
     where excluded.to_sequence > g.to_sequence`)
  return written > 0
}

/** The number of open gaps. */
export async function countOpenStreamGaps({ database }: Store): Promise<number> {
  const [row] = await database.read<{ count: bigint }>(sql`
    select count(*) as count from stream_gaps where closed_at is null`)
  return Number(row!.count)
}

/** Newest first, open gaps before closed gaps. */
export function listStreamGaps({ database }: Store, limit: number): Promise<readonly StreamGap[]> {
  return database.read<StreamGap>(sql`
    select id, stream, from_sequence as "fromSequence", to_sequence as "toSequence", noticed_at as "noticedAt",
           closed_at as "closedAt"
      from stream_gaps order by closed_at is not null, id desc limit ${limit}`)
}

/** Closes a gap: the indexer has published the missing messages again, or an operator accepts the loss. */
export function closeStreamGap({ database }: Store, id: bigint): Promise<unknown> {
  return database.withModels(client =>
    client.streamGap.updateMany({ where: { id, closedAt: null }, data: { closedAt: new Date() } }),
  )
}
