import {
  commitBatch,
  StoreRefusedError,
  type Batch,
  type CommittedBatch,
  type Store,
} from '@payment-tracking/store'

/**
 * Stores a batch, and isolates what Postgres itself refuses: a batch with a refused value is split in halves
 * until the one message is found, which becomes a dead letter. All others are stored.
 * @returns what was committed, one entry a transaction
 * @throws StoreUnavailableError, StoreTimeoutError: what was committed before stays committed, and storing the
 *   same messages again changes nothing
 */
export async function storeBatch(store: Store, batch: Batch): Promise<CommittedBatch[]> {
  try {
    return [await commitBatch(store, batch)]
  } catch (error) {
    if (!(error instanceof StoreRefusedError) || batch.received.length === 0) throw error
    const [only] = batch.received
    if (only !== undefined && batch.received.length === 1) {
      const { streamSequence, subject, bytes } = only
      const refused = {
        streamSequence,
        subject,
        bytes,
        code: 'STORE_REFUSED' as const,
        reason: error.message,
      }
      return storeBatch(store, { ...batch, received: [], refused: [...batch.refused, refused] })
    }
    const middle = Math.ceil(batch.received.length / 2)
    return [
      ...(await storeBatch(store, { ...batch, received: batch.received.slice(0, middle) })),
      ...(await storeBatch(store, { ...batch, refused: [], received: batch.received.slice(middle) })),
    ]
  }
}
