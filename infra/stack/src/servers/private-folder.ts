import { chmodSync, mkdirSync } from 'node:fs'

/**
 * Makes a folder that its owner alone may read: queues, streams and logs hold what merchants keep to themselves. The folders
 * above it stay as they are, because Postgres' own account may have to pass through them.
 */
export function makePrivateFolder(path: string): void {
  mkdirSync(path, { recursive: true })
  chmodSync(path, 0o700)
}
