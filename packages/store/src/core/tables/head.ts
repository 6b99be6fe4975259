import { sql, type Store, type Tx } from '../database/sql.js'
import { HEAD, rowOf, type Head } from '../database/head-tracker.js'
import { StoreUnverifiedError } from '../errors.js'

export interface LockedHead {
  position: bigint
  finalizedSlot: bigint
  /** names this database; another one after it lost commits */
  epoch: string
  /** the version of the rows of figures that readers read, and ingest adds to */
  figuresVersion: number
  /** the version of the rows that a rebuild fills; null while no rebuild counts */
  countingVersion: number | null
  /** the position of the last event that the rebuild has counted */
  countedPosition: bigint
}

/** The rows of figures that readers read. The tables also hold rows that a rebuild is filling, and rows that one has replaced. */
export const IN_USE = sql`version = (select figures_version from stream_head)`

/**
 * Takes the writer lock until the commit. Over all replicas one transaction of ingest has the lock at a time. So two transactions never
 * write at once, no position is left out, and positions are in the order of the commits. Every batch touches aggregates and positions
 * anyway: more replicas of ingest add safety, not throughput.
 * @param serverRun the run of the server that `verifyDatabase` verified; undefined accepts every server
 * SQL: a model takes no lock.
 * @throws StoreUnverifiedError when another server answers: it may lack commits that clients know
 */
export async function lockHead(tx: Tx, serverRun?: string): Promise<LockedHead> {
  const rows = await tx.$queryRaw<(LockedHead & { serverRun: string })[]>`
    select position, finalized_slot as "finalizedSlot", epoch::text as epoch,
           figures_version as "figuresVersion", counting_version as "countingVersion", counted_position as "countedPosition",
           extract(epoch from pg_postmaster_start_time())::text as "serverRun"
      from stream_head where id = 1 for update`
  const head = rowOf(rows)
  if (serverRun !== undefined && serverRun !== head.serverRun)
    throw new StoreUnverifiedError('Postgres was started anew: verify the database before it is written to')
  return head
}

/** A message of a stream. A stream that was deleted and made anew counts its sequences anew. */
export interface StreamPlace {
  /** null: no stream is known */
  createdAt: Date | null
  sequence: bigint
}

/**
 * SQL: compares with what is stored. Moves the head and records the batch, so that a sweeper finds a batch that a crash left without announcement.
 * @param last the last message of the batch. When the head names a message of a newer stream, the head keeps it
 */
export async function recordBatch(
  tx: Tx,
  firstPosition: bigint,
  lastPosition: bigint,
  last: StreamPlace,
): Promise<bigint> {
  const { createdAt, sequence } = last
  const [batch] = await tx.$queryRaw<{ id: bigint }[]>`
    with moved as (
      update stream_head
         set position = ${lastPosition},
             stream_sequence = case when stream_created_at > ${createdAt}::timestamptz(3) then stream_sequence
                                    when stream_created_at = ${createdAt}::timestamptz(3)
                                      then greatest(stream_sequence, ${sequence}::bigint)
                                    else ${sequence}::bigint end,
             stream_created_at = greatest(stream_created_at, ${createdAt}::timestamptz(3))
       where id = 1)
    insert into ingest_batches (first_position, last_position)
    values (${firstPosition}, ${lastPosition}) returning id`
  return batch!.id
}

export const readStreamHead = async ({ database }: Store): Promise<Head> =>
  rowOf(await database.read<Head>(HEAD))
