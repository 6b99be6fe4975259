// What `npm run operate -- archive` does.
import {
  ArchiveDiffersError,
  beginRestore,
  countArchived,
  findOldMonth,
  keptSince,
  listArchiveParts,
  MONTH,
  surveyMonth,
  type ArchivePart,
} from '@payment-tracking/store/ingest'
import { readStreamHead, type Store } from '@payment-tracking/store/core'
import { readArguments, refuseArguments, type Logger } from '@payment-tracking/runtime'
import { ArchiveUnusableError, type ArchiveFiles } from './archive-files.js'
import { INGEST_TUNABLES } from '../tunables.js'
import { describeHeld, finishRestore } from './archiver.js'
import { checkManifest, readPartFile } from './part-file.js'

const USAGE = `usage: npm run operate -- archive list | restore MONTH | verify
  list              prints which months are archived
  restore 2026-03   lets lists begin with a month again, for 30 days
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

const monthsOf = (parts: readonly ArchivePart[]): string[] => [...new Set(parts.map(({ month }) => month))]

async function list({ store, say, months: kept = 0 }: ArchiveParts): Promise<boolean> {
  const all = await listArchiveParts(store)
  if (all.length === 0) say('nothing is archived')
  for (const month of monthsOf(all)) {
    const parts = all.filter(part => part.month === month)
    const state = parts.find(part => part.state !== 'archived')?.state ?? 'archived'
    const megabytes = (sumOf(parts, ({ bytes }) => Number(bytes)) / 1e6).toFixed(1)
    say(
      `${month}  ${sumOf(parts, ({ count }) => count)} events  ${parts.length} ${parts.length === 1 ? 'file' : 'files'}  ${megabytes} MB  ${state}`,
    )
  }
  const next = kept > 0 ? await findOldMonth(store, keptSince(new Date(), kept)) : null
  if (next !== null) say(`${next}  waits: ${await reasonOf(store, next)}`)
  return true
}

/** Why the oldest month that is due is not archived. All later months wait for it. */
async function reasonOf(store: Store, month: string): Promise<string> {
  const stop = new AbortController().signal
  const { position: settled } = await readStreamHead(store)
  const { held } = await surveyMonth(store, month, { settled, stop })
  return held ? describeHeld(held) : 'ingest archives it soon'
}

async function restore(month: string, { store, files, log, say }: ArchiveParts): Promise<boolean> {
  const all = await listArchiveParts(store)
  if (!all.some(part => part.month === month)) {
    throw new ArchiveUnusableError(
      `nothing of ${month} is archived; archived are: ${monthsOf(all).join(', ') || 'no months'}`,
    )
  }
  // All files, before the first event changes.
  const parts = all.filter(part => part.month >= month)
  for (const part of parts) await readPartFile(files, part)
  await beginRestore(store, month, INGEST_TUNABLES.archiveRestoredDays)
  await finishRestore({ store, files, log }, new AbortController().signal)
  say(`lists begin with ${month} again: ${sumOf(parts, ({ count }) => count)} events`)
  return true
}

const LINES_AT_ONCE = 1_000

async function verify({ store, files, say }: ArchiveParts): Promise<boolean> {
  let wrong = 0
  const parts = await listArchiveParts(store)
  for (const part of parts) {
    try {
      await checkManifest(files, part)
      const lines = await readPartFile(files, part)
      let found = 0
      for (let at = 0; at < lines.length; at += LINES_AT_ONCE)
        found += await countArchived(store, lines.slice(at, at + LINES_AT_ONCE))
      if (found !== part.count)
        throw new ArchiveDiffersError(`${part.file}: the database has ${found} of its ${part.count} events`)
    } catch (error) {
      wrong += 1
      say((error as Error).message)
    }
  }
  say(`${parts.length} files, ${wrong} of them wrong`)
  return wrong === 0
}
