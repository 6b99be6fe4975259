// The log file of one service.
import { readFileSync, renameSync, statSync } from 'node:fs'

const MAX_LOG_BYTES = 50 * 1024 * 1024

const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0

/** Moves a log that has grown too long aside. @returns how long the log is now, in bytes */
export function rotate(file: string): number {
  const size = sizeOf(file)
  if (size <= MAX_LOG_BYTES) return size
  renameSync(file, `${file}.1`)
  return 0
}

/**
 * Looks whether a service ended because of its settings: starting it again would end in the same way.
 * @param from how long the log was before the service started, in bytes
 * @returns the message that names the settings
 */
export function findConfigProblem(logFile: string, from: number): string | undefined {
  const written = readFileSync(logFile).subarray(from).toString('utf8')
  const printed = /^[\w-]+: (bad configuration:\n(?: {2}- .*\n?)+)/m.exec(written)
  if (printed) return printed[1]!.trimEnd()
  for (const line of written.split('\n')) {
    if (!line.includes('CONFIG_INVALID')) continue
    try {
      const { err } = JSON.parse(line) as { err?: { code?: string; message?: string } }
      if (err?.code === 'CONFIG_INVALID') return err.message
    } catch {
      // It is no log line.
    }
  }
  return undefined
}

/** The last lines, shortened: a log line is JSON and may be wide. */
export const tail = (file: string): string =>
  readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .slice(-8)
    .map(line => `  ${line.slice(0, 1_000)}`)
    .join('\n')
