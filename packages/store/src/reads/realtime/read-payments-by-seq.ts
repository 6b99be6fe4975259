import type { CommittedPayment } from '@payment-tracking/contracts'
import { bigints, hidden, sql, type Store } from '../../core/database/sql.js'
import { readCommittedPayments } from '../../core/tables/committed-payments.js'

export interface SeqRange {
  trackingId: string
  /** inclusive */
  from: number
  /** inclusive; at most a head that was read before */
  to: number
}

/**
 * The payments of some ranges of some tracking IDs, in one statement, ordered by tracking ID and `seq`. `seq` has no
 * holes, so a range is a list of keys: relies on events_tracking_seq, one probe a payment.
 * @param epoch in which the heads were read; default: any
 * @throws StoreUnavailableError also when the payments are of another epoch
 */
export async function readPaymentsBySeq(
  { database }: Store,
  ranges: readonly SeqRange[],
  epoch?: string,
): Promise<CommittedPayment[]> {
  const trackingIds: string[] = []
  const seqs: number[] = []
  for (const { trackingId, from, to } of ranges) {
    for (let seq = from; seq <= to; seq++) {
      trackingIds.push(trackingId)
      seqs.push(seq)
    }
  }
  if (seqs.length === 0) return []
  return await readCommittedPayments(
    database.read,
    sql`(e.tracking_id, e.seq) in (
        select wanted.tracking_id collate "C", wanted.seq
          from unnest(${hidden(sql`${trackingIds}::text[]`)}, ${hidden(bigints(seqs))}) as wanted (tracking_id, seq))`,
    sql`order by e.tracking_id, e.seq`,
    epoch,
  )
}
