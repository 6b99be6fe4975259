// What `npm run archive` does.
import {
  ArchiveDiffersError,
  countArchived,
  findOldMonth,
  keptSince,
  listArchiveParts,
  MONTH,
  surveyMonth,
  wantMonthLive,
  type ArchivePart,
  type Store,
} from '@payment-tracking/store'
import { readArguments, refuseArguments, type Logger } from '@payment-tracking/runtime'
import { ArchiveUnusableError, type ArchiveFiles } from './archive-files.js'
import { describeHeld, finishMonth } from './archiver.js'
import { checkManifest, readPartFile } from './part-file.js'

const USAGE = `usage: npm run archive -- list | restore MONTH | verify
  list              prints which months are archived
  restore 2026-03   brings the events of a month back into lists
  verify            compares every file with its digest and with the database
  --help            prints this
  EVENTS_ARCHIVE names the archive, DATABASE_URL the database (default: that of the running stack).`

export type ArchiveAction = { does: 'list' } | { does: 'verify' } | { does: 'restore'; month: string }

/** Reads the arguments of the process. */
export function readArchiveAction(): ArchiveAction {
  const [does, month] = readArguments({ usage: USAGE, options: {}, positionals: 2 }).positionals
  if (does === 'restore' && month !== undefined && MONTH.test(month)) return { does, month }
  if ((does === 'list' || does === 'verify') && month === undefined) return { does }
  return refuseArguments(USAGE, 'say list, restore with a month, or verify')
}

export interface ArchiveParts {
  store: Store
  files: ArchiveFiles
  log: Pick<Logger, 'info' | 'warn'>
  say: (line: string) => void
  /** EVENTS_RETENTION_MONTHS */
  months?: number
}

/** @returns whether all is well */
export async function runArchive(action: ArchiveAction, parts: ArchiveParts): Promise<boolean> {
  if (action.does === 'list') return list(parts)
  if (action.does === 'verify') return verify(parts)
  return restore(action.month, parts)
}

const sumOf = (parts: readonly ArchivePart[], pick: (part: ArchivePart) => number): number =>
  parts.reduce((sum, part) => sum + pick(part), 0)

function byMonth(parts: readonly ArchivePart[]): Map<string, ArchivePart[]> {
  const months = new Map<string, ArchivePart[]>()
  for (const part of parts) months.set(part.month, [...(months.get(part.month) ?? []), part])
  return months
}

async function list({ store, say, months: kept = 0 }: ArchiveParts): Promise<boolean> {
  const months = byMonth(await listArchiveParts(store))
  if (months.size === 0) say('nothing is archived')
  for (const [month, parts] of months) {
    const events = sumOf(parts, ({ count }) => count)
    const moved = sumOf(parts, part => part.moved)
    const state =
      moved === events
        ? 'archived'
        : moved === 0
          ? 'in lists'
          : `${moved} archived, ${events - moved} in lists`
    const megabytes = (sumOf(parts, ({ bytes }) => Number(bytes)) / 1e6).toFixed(1)
    say(
      `${month}  ${events} events  ${parts.length} ${parts.length === 1 ? 'file' : 'files'}  ${megabytes} MB  ${state}`,
    )
  }
  const next = kept > 0 ? await findOldMonth(store, keptSince(new Date(), kept)) : null
  if (next !== null) say(`${next}  waits: ${await reasonOf(store, next)}`)
  return true
}

/** Why the oldest month that is due is not archived. All later months wait for it. */
async function reasonOf(store: Store, month: string): Promise<string> {
  const stop = new AbortController().signal
  const { obstacle, held } = await surveyMonth(store, month, { settledSeconds: 0, stop })
  if (held) return describeHeld(held)
  return obstacle === null ? 'ingest archives it soon' : 'its newest events are not announced yet'
}

async function restore(month: string, { store, files, log, say }: ArchiveParts): Promise<boolean> {
  const parts = await listArchiveParts(store, month)
  if (parts.length === 0) {
    const months = [...byMonth(await listArchiveParts(store)).keys()]
    throw new ArchiveUnusableError(
      `nothing of ${month} is archived; archived are: ${months.join(', ') || 'no months'}`,
    )
  }
  // All files, before the first row moves.
  for (const part of parts) await readPartFile(files, part)
  await wantMonthLive(store, month)
  await finishMonth({ store, files, log, guard: { serverRun: () => Promise.resolve(undefined) } }, month)
  say(`${month} is in lists again: ${sumOf(parts, ({ count }) => count)} events`)
  return true
}

const LINES_AT_ONCE = 1_000

async function verify({ store, files, say }: ArchiveParts): Promise<boolean> {
  let wrong = 0
  const parts = await listArchiveParts(store)
  for (const part of parts) {
    try {
      await checkManifest(files, part)
      const lines = (await readPartFile(files, part)).slice(0, part.moved)
      let found = 0
      for (let at = 0; at < lines.length; at += LINES_AT_ONCE)
        found += await countArchived(store, lines.slice(at, at + LINES_AT_ONCE))
      if (found !== part.moved)
        throw new ArchiveDiffersError(
          `${part.file}: the database has ${found} of its ${part.moved} archived events`,
        )
    } catch (error) {
      wrong += 1
      say((error as Error).message)
    }
  }
  say(`${parts.length} files, ${wrong} of them wrong`)
  return wrong === 0
}
