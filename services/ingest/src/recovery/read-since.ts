export const USAGE = `usage: npm run reingest -- --since TIME|SEQUENCE
  Reads the stream again from there. What is stored stays as it is.
  --since 2026-11-20T00:00:00Z   from a time (ISO 8601)
  --since 1                      from a sequence of the stream; 1 is all that the stream holds
  --help                         prints this`

/**
 * Reads `--since` of a command line: a stream sequence from 1, or an ISO 8601 time.
 * @throws Error with the usage
 */
export function readSince(args: readonly string[]): number | Date {
  const [name, inline] = args[0]?.split('=') ?? []
  const value = inline ?? args[1]
  if (name !== '--since' || !value || args.length > (inline === undefined ? 2 : 1)) throw new Error(USAGE)
  if (/^[1-9]\d{0,14}$/.test(value)) return Number(value)
  const time = /^\d{4}-\d{2}-\d{2}/.test(value) ? new Date(value) : new Date(NaN)
  if (Number.isNaN(time.getTime())) throw new Error(USAGE)
  return time
}
