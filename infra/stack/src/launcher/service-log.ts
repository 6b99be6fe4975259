// The log file of one service.
import { readFileSync, renameSync, statSync } from 'node:fs'

const MAX_LOG_BYTES = 50 * 1024 * 1024

const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0

/** Moves a log aside when it is too long. @returns the present length of the log, in bytes */
export function rotate(file: string): number {
  const size = sizeOf(file)
  if (size <= MAX_LOG_BYTES) return size
  renameSync(file, `${file}.1`)
  return 0
}

/**
 * Checks whether a service ended because of its settings: then another start would end in the same way.
 * @param from the length of the log in bytes before the service started
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
      // The line is no log line.
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
