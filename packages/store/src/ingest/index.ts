export { removeAnnouncements, sweepAnnouncements } from './announcements.js'
export { commitBatch } from './commit-batch.js'
export type { Batch, CommittedBatch, CommittedNews, ReceivedControl } from './batch.js'
export type { RefusedMessage } from './dead-letters.js'
export type { StreamIdentity } from './stream-gaps.js'
export { markRelayed, readOldestOutboxSeconds, sweepBatches, type UnrelayedBatch } from './outbox-batches.js'
export { beginNewRules, rebuildProjections } from './begin-rebuild.js'
export { pageByPage } from '../work/page-by-page.js'
export { PageSizer } from '../work/page-sizer.js'
export { WorkTurns } from '../work/work-turns.js'
export { readWork, refoldPage, type RefoldedPage } from './do-work.js'
export {
  closeStreamGap,
  countOpenStreamGaps,
  listStreamGaps,
  noteControlSubjects,
  readControlSubjects,
  recordStreamGap,
  type MissedMessages,
  type StreamGap,
} from './stream-gaps.js'
export {
  markReingested,
  moveReingest,
  readHeadNow,
  verifyDatabase,
  type StoredHead,
  type ReadStoredHead,
  type VerifiedDatabase,
} from './verify-database.js'
export type { StreamPlace } from '../rows/head.js'
export type { ReceivedMessage } from './received-message.js'
