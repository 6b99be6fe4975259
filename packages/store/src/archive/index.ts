export {
  beginRestore,
  endRestore,
  endRewriting,
  listArchiveParts,
  moveArchiveHead,
  readArchiveHead,
  type ArchiveHead,
  type ArchivePart,
  type WrittenPart,
} from './archive-head.js'
export { readArchiveLine, writeArchiveLine, type ArchiveLine } from './archive-line.js'
export { noteArchiveProblem, readArchiveProblem, type ArchiveProblem } from './archive-problem.js'
export { findArchivedAfter, findArchivedEvent, findArchivedMonth, readArchivedUpTo } from './find-archived.js'
export { dueSeconds, keptSince, MONTH, monthOf, spanOfMonth } from './months.js'
export {
  findFirstPosition,
  findOldMonth,
  readLate,
  readMonth,
  surveyMonth,
  type MonthSurvey,
  type OldEvent,
} from './read-old-events.js'
export { ArchiveDiffersError, countArchived, rewriteArchivePage } from './rewrite-page.js'
