export { commitBatch, type Batch, type CommittedBatch, type ReceivedMessage } from './commit-batch.js'
export {
  DEAD_LETTER_BYTES,
  insertDeadLetters,
  type RefusedMessage,
  type StreamIdentity,
} from './dead-letters.js'
export { readGateways } from './gateways.js'
export { markRelayed, readOldestOutboxSeconds, sweepBatches, type UnrelayedBatch } from './outbox-batches.js'
export { rebuildProjections } from './rebuild.js'
