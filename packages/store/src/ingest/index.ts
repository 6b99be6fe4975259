export {
  type ArchiveHead,
  type ArchivePart,
  beginRestore,
  endRestore,
  endRewriting,
  listArchiveParts,
  moveArchiveHead,
  readArchiveHead,
  type WrittenPart,
} from './archive/archive-head.js'
export { type ArchiveLine, readArchiveLine, writeArchiveLine } from './archive/archive-line.js'
export { dueSeconds, keptSince, MONTH, monthOf, spanOfMonth } from './archive/months.js'
export {
  findFirstPosition,
  findOldMonth,
  type OldEvent,
  readLate,
  readMonth,
  surveyMonth,
} from './archive/read-old-events.js'
export { ArchiveDiffersError, countArchived, rewriteArchivePage } from './archive/rewrite-page.js'
export type {
  Batch,
  CommittedBatch,
  CommittedChanges,
  ReceivedControl,
  ReceivedMessage,
  RefusedMessage,
} from './batch/batch.js'
export { beginNewRules, rebuildProjections } from './batch/begin-rebuild.js'
export { commitBatch } from './batch/commit-batch.js'
export { readWork, type TaskPage, runTaskPage } from './batch/do-work.js'
export { listDueAccounts } from './funds/list-due-accounts.js'
export { removeAnnouncements, sweepAnnouncements } from './outbox/announcements.js'
export { markRelayed, readOldestOutboxSeconds, sweepBatches } from './outbox/outbox-batches.js'
export { PRUNED_TABLES, type PrunedTable, pruneStep } from './retention/prune.js'
export {
  markReingested,
  moveReingest,
  readHeadNow,
  type VerifiedDatabase,
  verifyDatabase,
} from './verify/verify-database.js'
