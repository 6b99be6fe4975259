// Finality is one number, the highest final slot, plus a mark on events whose own message says that they are final.
import { columnTable } from '../../core/database/columns.js'
import { sql, type PipelinedTx } from '../../core/database/sql.js'
import type { Correction } from './identities.js'

export function writeFinalizedSlot(tx: PipelinedTx, slot: bigint): void {
  tx.sendModel(client => client.streamHead.updateMany({ where: { id: 1 }, data: { finalizedSlot: slot } }))
}

const CORRECTED = columnTable<Correction>('c', {
  id: ['uuid', ({ id }) => id],
  finalized: ['boolean', ({ finalized }) => finalized],
  transaction_index: ['bigint', ({ transactionIndex }) => transactionIndex],
  event_index: ['bigint', ({ index }) => index],
})

/** Writes the corrections that agreeing copies bring to stored events. SQL: compares with what is stored. */
export function writeCorrections(tx: PipelinedTx, corrections: readonly Correction[]): void {
  if (corrections.length === 0) return
  tx.send(sql`
    update events e
       set commitment = case when c.finalized then 'finalized' else e.commitment end,
           transaction_index = greatest(e.transaction_index, c.transaction_index),
           event_index = greatest(e.event_index, c.event_index)
      from ${CORRECTED.listOf(corrections)}
     where e.id = c.id`)
}
