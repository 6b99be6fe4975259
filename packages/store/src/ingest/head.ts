import type { Tx } from '../database/sql.js'
import { StoreContentsError } from '../errors.js'

/**
 * Takes the writer lock: one ingest transaction at a time, over all replicas, until commit. So nothing that
 * ingest writes can race, positions have no holes, and their order is commit order.
 * @returns the last position given out
 */
export async function lockHead(tx: Tx): Promise<bigint> {
  const [head] = await tx.$queryRaw<
    { position: bigint }[]
  >`select position from stream_head where id = 1 for update`
  if (!head) throw new StoreContentsError('stream_head is empty: run the migrations (npm run migrate)')
  return head.position
}

/** Moves the head and records the batch, so that a sweeper finds what a crash left unannounced. */
export async function recordBatch(tx: Tx, firstPosition: bigint, lastPosition: bigint): Promise<bigint> {
  const [batch] = await tx.$queryRaw<{ id: bigint }[]>`
    with moved as (update stream_head set position = ${lastPosition} where id = 1)
    insert into ingest_batches (first_position, last_position) values (${firstPosition}, ${lastPosition}) returning id`
  return batch!.id
}
