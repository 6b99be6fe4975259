export { readArchiveLine, writeArchiveLine, type ArchiveLine } from './archive-line.js'
export { endArchiveMove, readArchiveMove, type ArchiveMove } from './archive-moves.js'
export {
  archiveAgain,
  beginArchivePart,
  listArchiveParts,
  readUnfinishedPart,
  wantMonthLive,
  type ArchivePart,
  type WrittenPart,
} from './archive-parts.js'
export { noteArchiveProblem, readArchiveProblem, type ArchiveProblem } from './archive-problem.js'
export { findArchivedAfter, findArchivedEvent, findArchivedMonth, readArchivedUpTo } from './find-archived.js'
export { dueSeconds, keptSince, MONTH } from './months.js'
export { ArchiveDiffersError, countArchived, moveArchivePage } from './move-page.js'
export { findOldMonth, readMonth, surveyMonth, type MonthSurvey } from './read-month.js'
