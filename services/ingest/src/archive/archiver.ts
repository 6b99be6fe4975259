// Archives old months, one after the other. The events of a month are written to files. Each file is read back. Then its events
// move page by page into archived_events, while ingest goes on. Lists stop showing the month before its first event
// moves. The tables archive_parts and archive_moves record the progress. After a crash, a process first finishes that month.
import { repeat, type Intake, type Logger, type RepeatedTask } from '@payment-tracking/runtime'
import {
  archiveAgain,
  ArchiveDiffersError,
  beginArchivePart,
  dueSeconds,
  endArchiveMove,
  findOldMonth,
  keptSince,
  listArchiveParts,
  moveArchivePage,
  noteArchiveProblem,
  pageByPage,
  PageSizer,
  readArchiveMove,
  readMonth,
  readUnfinishedPart,
  StoreTimeoutError,
  StoreUnavailableError,
  surveyMonth,
  type ArchiveLine,
  type ArchivePart,
  type Store,
} from '@payment-tracking/store'
import { ArchiveUnusableError, type ArchiveFiles } from './archive-files.js'
import { readPartFile, writePartFile } from './part-file.js'

export interface ArchiverOptions {
  store: Store
  files: ArchiveFiles
  /** EVENTS_RETENTION_MONTHS */
  months: number
  /** the folder of this deployment: ENVIRONMENT */
  folder: string
  /** the server that ingest verified */
  guard: { serverRun(): Promise<string | undefined> }
  everyMs: number
  /** how long ago the last event of a month must have been stored */
  settledSeconds: number
  /** the most events of a file */
  eventsAPart: number
  /** a restored month is archived again after so many days */
  restoredDays: number
  /** chooses the rows of a page; default: by how long the pages before held the writer lock */
  sizer?: Pick<PageSizer, 'rowsOf' | 'note'>
  log: Pick<Logger, 'info' | 'warn'>
}

/** The most bytes of a file before they are compressed: a file is read and written whole. */
const BYTES_A_PART = 16 * 1024 * 1024
const FIRST_AFTER_MS = 60_000

export class Archiver implements Intake {
  readonly #rounds: RepeatedTask

  constructor(options: ArchiverOptions) {
    const { everyMs, log } = options
    this.#rounds = repeat({
      everyMs,
      firstAfterMs: Math.min(everyMs, FIRST_AFTER_MS),
      spread: 0.2,
      run: stop => archiveOldMonths(options, stop),
      onError: err => log.warn({ err }, 'archive.failed'),
    })
  }

  start = () => this.#rounds.start()
  stop = () => this.#rounds.stop()
}

/** One round. Ops → Work shows why it did not go on. */
export async function archiveOldMonths(options: ArchiverOptions, stop: AbortSignal): Promise<void> {
  try {
    const held = await archiveWhileDue(options, stop)
    if (!stop.aborted) await noteArchiveProblem(options.store, held)
  } catch (error) {
    // While Postgres is away, nothing can be noted.
    if (!stop.aborted) await noteArchiveProblem(options.store, problemOf(error as Error)).catch(() => {})
    throw error
  }
}

/** Errors of the archive name their cure. */
const problemOf = (error: Error): string =>
  error instanceof ArchiveUnusableError || error instanceof ArchiveDiffersError
    ? error.message
    : `${error.message}: see archive.failed in the log of ingest`

/** @returns what holds the next month; null when nothing is wrong */
async function archiveWhileDue(options: ArchiverOptions, stop: AbortSignal): Promise<string | null> {
  const { store, months, restoredDays, settledSeconds, guard, log } = options
  await archiveAgain(store, restoredDays)
  for (;;) {
    for (let part; (part = await readUnfinishedPart(store)) !== undefined;) {
      await finishPart(options, part, stop)
      if (stop.aborted) return null
    }
    // The month that moves is finished before another one begins.
    const move = await readArchiveMove(store)
    if (stop.aborted) return null
    if (move !== undefined) {
      const isLeft = !move.isRestored && (await beginPart(options, move.month, move.upTo))
      if (!isLeft) await endArchiveMove(store, move.month, await guard.serverRun())
      continue
    }
    const month = await findOldMonth(store, keptSince(new Date(), months))
    if (month === null || stop.aborted) return null
    const { obstacle, upTo, held } = await surveyMonth(store, month, { settledSeconds, stop })
    if (stop.aborted) return null
    if (obstacle !== null) {
      log.info({ month, obstacle, ...held }, 'archive.waits')
      return held === undefined
        ? null
        : `${month} waits: ${describeHeld(held)}. The indexer tells what is final: see Pipeline`
    }
    await beginPart(options, month, upTo)
  }
}

/** The event that holds its month. */
export const describeHeld = ({ signature, slot }: { signature: string; slot: bigint }): string =>
  `the event of transaction ${signature} in slot ${slot} is not final`

/** How long ago the oldest month in lists had to be archived first; 0 without such a month, and without an archive. */
export async function readArchiveDueSeconds(store: Store, months: number): Promise<number> {
  if (months === 0) return 0
  const month = await findOldMonth(store, keptSince(new Date(), months))
  return month === null ? 0 : dueSeconds(month, months)
}

/** Writes the next events of a month to a file, and records it. @returns false when there are no more events */
async function beginPart(
  { store, files, folder, guard, eventsAPart, log }: ArchiverOptions,
  month: string,
  upTo: bigint,
): Promise<boolean> {
  // Read before the events: when another process records a part meanwhile, this one is not recorded.
  const part = (await listArchiveParts(store, month)).length + 1
  const events = new Map<string, ArchiveLine>()
  let bytes = 0
  reading: for await (const page of readMonth(store, month, upTo)) {
    for (const event of page) {
      if (events.size === eventsAPart || bytes > BYTES_A_PART) break reading
      events.set(event.id, event)
      bytes += event.data.length
    }
  }
  if (events.size === 0) return false
  const written = await writePartFile(files, { folder, month, part }, [...events.values()])
  const isBegun = await beginArchivePart(store, written, { upTo, serverRun: await guard.serverRun() })
  if (isBegun) log.info({ month, part, events: written.count, file: written.file }, 'archive.written')
  return true
}

type FinishOptions = Pick<ArchiverOptions, 'store' | 'files' | 'guard' | 'log' | 'sizer'>

/** Moves the events of a part into the table that its `wanted` names. */
async function finishPart(
  { store, files, guard, log, sizer = new PageSizer() }: FinishOptions,
  part: ArchivePart,
  stop: AbortSignal,
): Promise<void> {
  const lines = await readPartFile(files, part)
  await pageByPage(stop, async () =>
    moveArchivePage(store, part, lines, { sizer, serverRun: await guard.serverRun() }),
  )
  if (stop.aborted) return
  const { month, part: number, count, wanted } = part
  log.info({ month, part: number, events: count, wanted }, 'archive.moved')
}

/** Moves all rows of a month back into lists. */
export async function finishMonth(options: FinishOptions, month: string): Promise<void> {
  for (const part of await listArchiveParts(options.store, month))
    await finishPart(options, part, new AbortController().signal)
  await endArchiveMove(options.store, month)
}

/**
 * Whether archiving can begin: the place can be written to, and the file that is being moved is as it was written.
 * @throws ArchiveUnusableError, ArchiveDiffersError
 */
export async function checkArchive(store: Store, files: ArchiveFiles): Promise<void> {
  if (!(await files.check())) return
  // While Postgres is away, ingest starts and waits.
  const part = await readUnfinishedPart(store).catch((error: unknown) => {
    if (error instanceof StoreUnavailableError || error instanceof StoreTimeoutError) return undefined
    throw error
  })
  if (part !== undefined) await readPartFile(files, part)
}
