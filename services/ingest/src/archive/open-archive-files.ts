import { Type } from 'typebox'
import type { ArchiveFiles } from './archive-files.js'
import { DirectoryFiles } from './directory-files.js'

export const EVENTS_ARCHIVE = Type.Optional(
  Type.String({
    pattern: '^(?!.*://)',
    description: 'the directory of archived months, the same for all ingest processes',
  }),
)

/** @param place EVENTS_ARCHIVE */
export const openArchiveFiles = (place: string): ArchiveFiles => new DirectoryFiles(place)
