// Archives old months, one after the other. The events of a month are written to files. Each file is read back. Then one number
// moves, and lists begin after the month. From then on `data` of its events shrinks in place, page by page, beside ingest. The
// table archive_parts records the files. After a crash, a process writes the same files again, or goes on with the pages.
import { setTimeout as sleep } from 'node:timers/promises'
import { repeat, type Intake, type Logger, type RepeatedTask } from '@payment-tracking/runtime'
import {
  ArchiveDiffersError,
  dueSeconds,
  endRestore,
  endRewriting,
  findFirstPosition,
  findOldMonth,
  keptSince,
  listArchiveParts,
  monthOf,
  moveArchiveHead,
  readArchiveHead,
  readLate,
  readMonth,
  rewriteArchivePage,
  spanOfMonth,
  surveyMonth,
  type ArchiveHead,
  type ArchivePart,
  type OldEvent,
  type WrittenPart,
} from '@payment-tracking/store/ingest'
import {
  noteArchiveProblem,
  StoreTimeoutError,
  StoreUnavailableError,
  type Store,
} from '@payment-tracking/store/core'
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
  /** how long ago an event must have been stored */
  settledSeconds: number
  /** the most events of a file */
  eventsAPart: number
  log: Pick<Logger, 'info' | 'warn'>
}

/** The most bytes of a file before they are compressed: a file is read and written whole. */
const BYTES_A_PART = 16 * 1024 * 1024
const FIRST_AFTER_MS = 60_000
const PAGE_ROWS = 500
/**
 * About how many events an 8 kB block of Postgres holds. One transaction rewrites at most one event of each block. The next one
 * writes into the room that became free, in the same block, so that no index is written (a HOT update).
 */
const EVENTS_A_BLOCK = 8

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
  const { store, months, settledSeconds, guard, log } = options
  for (;;) {
    await finishRestore(options, stop)
    for (const part of await listArchiveParts(store, { state: 'shrinking' }))
      await rewrite(options, part, stop)
    if (stop.aborted) return null
    const before = await readArchiveHead(store)
    if (before.isPaused) return null
    const step = { options, before, serverRun: await guard.serverRun(), stop }
    const { late, settled, held: lateHeld } = await readLate(store, before, settledSeconds)
    if (settled > before.archivedPosition) {
      await archive({ ...step, now: { ...before, archivedPosition: settled } }, [late])
      continue
    }
    if (lateHeld) return sayHeld(monthOf(lateHeld.occurredAt), lateHeld)
    const month = await findOldMonth(store, keptSince(new Date(), months))
    if (month === null) return null
    const { obstacle, held } = await surveyMonth(store, month, { settled, stop })
    if (obstacle !== null) {
      log.info({ month, obstacle, ...held }, 'archive.waits')
      return held === undefined ? null : sayHeld(month, held)
    }
    await archive(
      { ...step, now: { ...before, listsBegin: spanOfMonth(month).end } },
      readMonth(store, month),
    )
  }
}

/** The event that holds its month. */
export const describeHeld = ({ signature, slot }: Pick<OldEvent, 'signature' | 'slot'>): string =>
  `the event of transaction ${signature} in slot ${slot} is not final`

const sayHeld = (month: string, held: Pick<OldEvent, 'signature' | 'slot'>): string =>
  `${month} waits: ${describeHeld(held)}. The indexer tells what is final: see Pipeline`

/** How long ago the oldest month in lists had to be archived first; 0 without such a month, and without an archive. */
export async function readArchiveDueSeconds(store: Store, months: number): Promise<number> {
  if (months === 0) return 0
  const month = await findOldMonth(store, keptSince(new Date(), months))
  return month === null ? 0 : dueSeconds(month, months)
}

interface Step {
  options: ArchiverOptions
  before: ArchiveHead
  now: ArchiveHead
  /** the run of the server when `before` was read */
  serverRun: string | undefined
  stop: AbortSignal
}

/** Writes events to files, and moves the number. A process that dies between them writes the same files again. */
async function archive(
  { options, before, now, serverRun, stop }: Step,
  pages: AsyncIterable<readonly OldEvent[]> | Iterable<readonly OldEvent[]>,
): Promise<void> {
  const { store, files, folder, eventsAPart, log } = options
  const written: WrittenPart[] = []
  const write = async (month: string, events: readonly OldEvent[]) => {
    stop.throwIfAborted()
    const others = await listArchiveParts(store, { month })
    const part = 1 + others.length + written.filter(of => of.month === month).length
    written.push(await writePartFile(files, { folder, month, part }, events))
    log.info({ month, part, events: events.length, file: written.at(-1)!.file }, 'archive.written')
  }
  const months = new Map<string, { events: OldEvent[]; bytes: number }>()
  for await (const page of pages)
    for (const event of page) {
      // What came after the survey is late.
      if (event.position > now.archivedPosition) continue
      const month = monthOf(event.occurredAt)
      const next = months.get(month) ?? { events: [], bytes: 0 }
      months.set(month, next)
      if (next.events.length === eventsAPart || next.bytes > BYTES_A_PART) {
        await write(month, next.events.splice(0))
        next.bytes = 0
      }
      next.events.push(event)
      next.bytes += event.data.length
    }
  for (const [month, { events }] of months) await write(month, events)
  const firstPosition = await findFirstPosition(store, now, stop)
  await moveArchiveHead(store, before, { ...now, firstPosition }, written, serverRun)
}

type RewriteOptions = Pick<ArchiverOptions, 'store' | 'files' | 'log'>

/** Shortens `data` of the events of a file, or fills it. After each page, live messages get as much time as the page took. */
async function rewrite(
  { store, files, log }: RewriteOptions,
  part: ArchivePart,
  stop: AbortSignal,
): Promise<void> {
  const lines = await readPartFile(files, part)
  const pages = Array.from({ length: EVENTS_A_BLOCK }, (_, offset) =>
    lines.filter((_, at) => at % EVENTS_A_BLOCK === offset),
  ).flatMap(some =>
    Array.from({ length: Math.ceil(some.length / PAGE_ROWS) }, (_, at) =>
      some.slice(at * PAGE_ROWS, (at + 1) * PAGE_ROWS),
    ),
  )
  // Pages of which others held an event are done again.
  for (const page of pages) {
    const startedAt = performance.now()
    const remaining = await rewriteArchivePage(store, part, page)
    if (remaining === null || stop.aborted) return
    if (remaining > 0) pages.push(page)
    await sleep(performance.now() - startedAt)
  }
  await endRewriting(store, part)
  log.info({ month: part.month, part: part.part, events: part.count, was: part.state }, 'archive.rewritten')
}

/** Fills the months that somebody asked for, and then lets lists begin with them. */
export async function finishRestore(options: RewriteOptions, stop: AbortSignal): Promise<void> {
  const { store } = options
  for (let parts; (parts = await listArchiveParts(store, { state: 'filling' })).length > 0;)
    for (const part of parts) {
      await rewrite(options, part, stop)
      if (stop.aborted) return
    }
  if ((await listArchiveParts(store, { state: 'filled' })).length > 0) await endRestore(store)
}

/**
 * Whether archiving can begin: the location can be written to, and the file that is needed next is as it was written.
 * @throws ArchiveUnusableError, ArchiveDiffersError
 */
export async function checkArchive(store: Store, files: ArchiveFiles): Promise<void> {
  if (!(await files.check())) return
  // While Postgres is away, ingest starts and waits.
  const parts = await listArchiveParts(store).catch((error: unknown) => {
    if (error instanceof StoreUnavailableError || error instanceof StoreTimeoutError) return []
    throw error
  })
  const part = parts.find(({ state }) => state !== 'archived')
  if (part !== undefined) await readPartFile(files, part)
}
