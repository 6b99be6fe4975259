export { commitBatch, type Batch, type CommittedBatch, type ReceivedMessage } from './commit-batch.js'
export {
  DEAD_LETTER_BYTES,
  insertDeadLetters,
  type RefusedMessage,
  type StreamIdentity,
} from './dead-letters.js'
export { readGateways } from './gateways.js'
export { markHandedOver, readOldestOutboxSeconds, sweepBatches, type LeftBatch } from './hand-over.js'
export { rebuildProjections } from './rebuild.js'
