// Temporary files of tests in memory, where the machine has enough of it.
import { statfsSync } from 'node:fs'
import { freemem } from 'node:os'

/** Linux' file system in memory; containers mostly have only 64 MB there. */
const FOLDER = '/dev/shm'
const TMPFS = 0x01021994
/** Several times what the servers of a whole run hold at once. */
const LEAST_SPACE = 6 * 2 ** 30
const LEAST_MEMORY = 12 * 2 ** 30

/**
 * Lets this process and its children keep temporary files in memory, unless TMPDIR is set. To create a database takes
 * some 400 files: a tenth of the time that a disk takes, and a busy disk delays no acknowledgement of NATS. No test needs
 * files that survive the machine.
 */
export function useMemoryForFiles() {
  if (process.env.TMPDIR) return
  try {
    const { type, bavail, bsize } = statfsSync(FOLDER)
    const memory = Math.min(freemem(), process.constrainedMemory() || Infinity)
    if (type === TMPFS && bavail * bsize >= LEAST_SPACE && memory >= LEAST_MEMORY) process.env.TMPDIR = FOLDER
  } catch {
    // Not Linux.
  }
}
