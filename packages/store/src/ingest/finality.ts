// Finality is one number, the highest final slot, plus a mark on events whose own message says that they are final.
import { sql, type Tx } from '../database/sql.js'
import type { PipelinedTx } from '../database/pipelined-transactions.js'
import type { Correction } from './identities.js'

/** A payment whose webhook waited for its finality. */
export interface ReleasedDelivery {
  eventId: string
  webhookId: bigint
}

export function writeFinalizedSlot(tx: PipelinedTx, slot: bigint): void {
  tx.send(sql`update stream_head set finalized_slot = ${slot} where id = 1`)
}

/** Writes the corrections that agreeing copies bring to stored events. */
export function writeCorrections(tx: PipelinedTx, corrections: readonly Correction[]): void {
  if (corrections.length === 0) return
  tx.send(sql`
    update events e
       set commitment = case when c.finalized then 'finalized' else e.commitment end,
           transaction_index = greatest(e.transaction_index, c.transaction_index),
           event_index = greatest(e.event_index, c.event_index)
      from unnest(${corrections.map(({ id }) => id)}::uuid[],
                  ${corrections.map(({ finalized }) => finalized)}::boolean[],
                  ${corrections.map(({ transactionIndex }) => String(transactionIndex))}::bigint[],
                  ${corrections.map(({ index }) => String(index))}::bigint[])
           as c (id, finalized, transaction_index, event_index)
     where e.id = c.id`)
}

/**
 * Takes the deliveries that waited for finality: those of slots up to the highest final slot, and those of events
 * marked final themselves. Relies on the index by slot and on the primary key.
 */
export async function takeReleased(
  tx: Tx,
  { finalizedSlot, eventIds }: { finalizedSlot: bigint | null; eventIds: readonly string[] },
): Promise<ReleasedDelivery[]> {
  if (finalizedSlot === null && eventIds.length === 0) return []
  return tx.$queryRaw<ReleasedDelivery[]>`
    delete from deliveries_awaiting_finality
     where slot <= ${finalizedSlot ?? 0n} or event_id = any(${[...eventIds]}::uuid[])
    returning event_id as "eventId", webhook_id as "webhookId"`
}
