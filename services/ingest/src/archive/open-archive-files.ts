import { Type } from 'typebox'
import type { ArchiveFiles } from './archive-files.js'
import { DirectoryFiles } from './directory-files.js'

export const EVENTS_ARCHIVE = Type.Optional(
  Type.String({
    pattern: '^(?:s3://[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](?:/[^?#]*)?|(?!.*://).*)$',
    description: 'the directory of archived months, or s3://bucket/folder; the same for all ingest processes',
  }),
)

/**
 * @param location EVENTS_ARCHIVE
 * @param env holds the usual AWS_ variables of a store
 */
export async function openArchiveFiles(location: string, env = process.env): Promise<ArchiveFiles> {
  if (!location.startsWith('s3://')) return new DirectoryFiles(location)
  // Most processes need no client of S3, nor the fetch that it loads.
  const { S3Files } = await import('./s3-files.js')
  return new S3Files(location, env)
}
