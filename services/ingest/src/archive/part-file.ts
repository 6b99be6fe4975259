// One file of the archive: lines of events, compressed, and a manifest beside it. The name holds a part of the digest, so no
// file is ever replaced by other events, whatever a database has forgotten of it.
import { createHash } from 'node:crypto'
import { setImmediate as giveWay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import {
  ArchiveDiffersError,
  readArchiveLine,
  writeArchiveLine,
  type ArchiveLine,
  type ArchivePart,
  type WrittenPart,
} from '@payment-tracking/store/ingest'
import type { ArchiveFiles } from './archive-files.js'

const compress = promisify(gzip)
const expand = promisify(gunzip)

/** Lines that are read without a pause. */
const LINES_AT_ONCE = 1_000

export const digestOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

const manifestNameOf = (file: string): string => file.replace(/\.ndjson\.gz$/, '.manifest.json')

/** What lies beside a file, for readers that have no database. */
const manifestOf = (part: WrittenPart): Buffer => {
  const { month, part: number, file, count, firstPosition, lastPosition, bytes, sha256 } = part
  const manifest = {
    format: 1,
    month,
    part: number,
    file,
    events: count,
    firstPosition: Number(firstPosition),
    lastPosition: Number(lastPosition),
    bytes: Number(bytes),
    sha256,
  }
  return Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`)
}

/**
 * Writes events to a file, and a manifest beside the file. Then reads both files, and compares them with what was written.
 * @param folder the deployment's folder in the archive
 * @returns what archive_parts has to record
 * @throws ArchiveDiffersError when a file is not as it was written
 */
export async function writePartFile(
  files: ArchiveFiles,
  { folder, month, part }: { folder: string; month: string; part: number },
  events: readonly ArchiveLine[],
): Promise<WrittenPart> {
  const lines: string[] = []
  for (const [at, event] of events.entries()) {
    if (at % LINES_AT_ONCE === LINES_AT_ONCE - 1) await giveWay()
    lines.push(`${writeArchiveLine(event)}\n`)
  }
  const packed = await compress(Buffer.from(lines.join('')))
  const sha256 = digestOf(packed)
  const positions = events.map(({ position }) => position)
  const written: WrittenPart = {
    month,
    part,
    sha256,
    bytes: BigInt(packed.length),
    count: events.length,
    file: `${folder}/${month}/${part}-${sha256.slice(0, 16)}.ndjson.gz`,
    firstPosition: positions.reduce((a, b) => (b < a ? b : a)),
    lastPosition: positions.reduce((a, b) => (b > a ? b : a)),
  }
  await files.write(written.file, packed)
  await files.write(manifestNameOf(written.file), manifestOf(written))
  await readPartFile(files, written)
  await checkManifest(files, written)
  return written
}

/** @throws ArchiveDiffersError, ArchiveUnusableError */
export async function checkManifest(files: ArchiveFiles, part: WrittenPart): Promise<void> {
  const name = manifestNameOf(part.file)
  if (!(await files.read(name)).equals(manifestOf(part)))
    throw new ArchiveDiffersError(
      `${name} below EVENTS_ARCHIVE is not as it was written: bring it back from a copy`,
    )
}

/**
 * Reads the events of a part from its file.
 * @throws ArchiveDiffersError when the file is not as it was written
 * @throws ArchiveUnusableError when it cannot be read
 */
export async function readPartFile(
  files: ArchiveFiles,
  { file, sha256, count }: Pick<ArchivePart, 'file' | 'sha256' | 'count'>,
): Promise<ArchiveLine[]> {
  const packed = await files.read(file)
  if (digestOf(packed) !== sha256)
    throw new ArchiveDiffersError(
      `${file} below EVENTS_ARCHIVE is not as it was written (SHA-256 differs): bring it back from a copy`,
    )
  const lines = (await expand(packed)).toString().split('\n')
  const events: ArchiveLine[] = []
  for (const [at, line] of lines.entries()) {
    if (at % LINES_AT_ONCE === LINES_AT_ONCE - 1) await giveWay()
    if (line !== '') events.push(readArchiveLine(line))
  }
  if (events.length !== count)
    throw new ArchiveDiffersError(`${file} holds ${events.length} events where ${count} were written`)
  return events
}
