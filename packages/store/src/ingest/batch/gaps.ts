import { type Tx } from '../../core/database/sql.js'
import type { ControlMessage } from '@payment-tracking/domain'

/**
 * SQL: what is stored wins. One row for each gap, whatever the messages about the gap and their order. A closed gap stays
 * closed.
 */
export async function writeGaps(tx: Tx, controls: readonly ControlMessage[]): Promise<void> {
  for (const control of controls) {
    if (control.kind !== 'gap') continue
    const { signature, fromSlot, toSlot, reason, bytes, closed } = control
    await tx.$executeRaw`
      insert into gaps as g (signature, from_slot, to_slot, reason, bytes, closed_at)
      values (${signature ?? ''}, ${BigInt(fromSlot)}, ${BigInt(toSlot)}, ${reason},
              ${bytes === null ? null : `\\x${Buffer.from(bytes).toString('hex')}`}::bytea,
              case when ${closed}::boolean then clock_timestamp() end)
      on conflict (signature, from_slot, to_slot) do update set
        closed_at = coalesce(g.closed_at, excluded.closed_at), bytes = coalesce(g.bytes, excluded.bytes),
        reason = case when g.reason = '' then excluded.reason else g.reason end`
  }
}
