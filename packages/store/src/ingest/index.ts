export { commitBatch, type Batch, type CommittedBatch, type ReceivedMessage } from './commit-batch.js'
export type { RefusedMessage, StreamIdentity } from './dead-letters.js'
export { markRelayed, readOldestOutboxSeconds, sweepBatches, type UnrelayedBatch } from './outbox-batches.js'
export { rebuildProjections } from './rebuild.js'
