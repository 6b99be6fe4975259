// Finality is one number, the highest final slot, plus a mark on events whose own message says that they are final.
import { sql } from '../database/sql.js'
import type { PipelinedTx } from '../database/pipelined-transactions.js'
import type { Correction } from './identities.js'

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
