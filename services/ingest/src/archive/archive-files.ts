// Where archived events are kept.
import { ServiceError } from '@payment-tracking/runtime'

/** The place of EVENTS_ARCHIVE cannot be used as it is set: an operator must act. */
export class ArchiveUnusableError extends ServiceError {
  readonly code = 'ARCHIVE_UNUSABLE'
  readonly retry = 'never'
}

/** Files of bytes, by names like `production/2026-03/1-0123456789abcdef.ndjson.gz`. A file is there whole or not at all. */
export interface ArchiveFiles {
  /**
   * @returns false when the location does not answer now, but may later
   * @throws ArchiveUnusableError when nothing can be written there
   */
  check(): Promise<boolean>
  /** Resolves when the bytes would survive a loss of power. A process that dies before leaves the file whole or not there. */
  write(name: string, bytes: Uint8Array): Promise<void>
  /** @throws ArchiveUnusableError when there is no such file */
  read(name: string): Promise<Buffer>
}
