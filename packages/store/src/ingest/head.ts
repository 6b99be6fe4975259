import type { Tx } from '../database/sql.js'
import { StoreContentsError, StoreUnverifiedError } from '../errors.js'

export interface LockedHead {
  position: bigint
  finalizedSlot: bigint
}

/** By which rules this release projects events; a database of other rules is brought to these (ingest/upgrade). */
export const PROJECTION_VERSION = 2

/**
 * Takes the writer lock: one ingest transaction at a time, over all replicas, until commit. So nothing that
 * ingest writes can race, positions have no holes, and their order is commit order.
 * @param server the run of the server that `verifyDatabase` looked at; without it any server is written to
 * @returns the last position given out, and the highest slot that is known to be final
 * @throws StoreUnverifiedError when another server answers: it may lack commits that clients were told of
 */
export async function lockHead(tx: Tx, server?: string): Promise<LockedHead> {
  const [head] = await tx.$queryRaw<(LockedHead & { server: string })[]>`
    select position, finalized_slot as "finalizedSlot", extract(epoch from pg_postmaster_start_time())::text as server
      from stream_head where id = 1 for update`
  if (!head) throw new StoreContentsError('stream_head is empty: run the migrations (npm run migrate)')
  if (server !== undefined && server !== head.server)
    throw new StoreUnverifiedError('Postgres was started anew: verify the database before it is written to')
  return head
}

/** Moves the head and records the batch, so that a sweeper finds what a crash left unannounced. */
export async function recordBatch(tx: Tx, firstPosition: bigint, lastPosition: bigint): Promise<bigint> {
  const [batch] = await tx.$queryRaw<{ id: bigint }[]>`
    with moved as (update stream_head set position = ${lastPosition} where id = 1)
    insert into ingest_batches (first_position, last_position, rules)
    values (${firstPosition}, ${lastPosition}, ${PROJECTION_VERSION}) returning id`
  return batch!.id
}
